import type { Command } from 'commander';
import { MAX_LIMIT } from '#shared/accounts/settings.ts';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { type AccountLimits, AccountLimitsStore, type AccountSettings } from '../account-limits.ts';
import { NAME_RULE } from '../names.ts';
import { example, parseAccount, parseInteger } from './command-line.ts';

const SETTINGS: Readonly<Record<keyof AccountLimits, string>> = {
  requestsPerSecond: 'REQUESTS_PER_SECOND_PER_ACCOUNT',
  requestsBurst: 'REQUESTS_BURST_PER_ACCOUNT',
  guidesPerDay: 'GUIDES_PER_DAY_PER_ACCOUNT',
  labelPages: 'LABEL_PAGES_PER_ACCOUNT',
};
const LIMITS = Object.keys(SETTINGS) as (keyof AccountLimits)[];

/** What becomes of guides without a quote: as an operator types it, as it is stored, and in words. */
type Mode = { typed: string; stored?: AccountSettings['unquotedGuides']; words: string };
const MODES: readonly Mode[] = [
  { typed: 'al_crear', stored: 'price', words: 'se cotizan al crearlas' },
  { typed: 'exigir', stored: 'refuse', words: 'se rechazan' },
  { typed: 'no', words: 'responden 0 y se cobran con la tarifa' },
];

type LimitsOptions = Partial<AccountLimits> & { cotizar?: Mode; default?: boolean };

export function addLimitsCommand(program: Command, run: Run): void {
  program
    .command('limits')
    .description(
      'Muestra lo que una cuenta puede usar y que pasa con sus guias sin cotizacion, o lo cambia; rige en menos de 10 segundos.',
    )
    .argument('<cuenta>', NAME_RULE, parseAccount)
    .option('--requests-per-second <n>', 'solicitudes por segundo, a la larga', parseLimit)
    .option('--requests-burst <n>', 'solicitudes de una vez, tras una pausa', parseLimit)
    .option('--guides-per-day <n>', 'guias por dia', parseLimit)
    .option('--label-pages <n>', 'paginas de etiquetas a la vez', parseLimit)
    .option('--default', 'los limites de la configuracion, todos')
    .option(
      '--cotizar <modo>',
      'que pasa con las guias sin cotizacion: "al_crear" les da precio, "exigir" las rechaza, "no" quita el ajuste: responden 0 y se cobran con la tarifa',
      parseMode,
    )
    .addHelpText(
      'after',
      `${example('limits tienda --requests-per-second 2000 --guides-per-day 500000')}\n  npm run admin -- limits tienda --cotizar al_crear`,
    )
    .action((account: string, { default: reset = false, cotizar, ...change }: LimitsOptions) => {
      const changes = Object.keys(change).length > 0;
      if (reset && changes) throw new UsageError('Indique limites, o bien --default');
      return run(async (mongo) => {
        const limits = new AccountLimitsStore(mongo);
        // They stay when an account's last user moves; only this command can take them back.
        const hasSettings = Object.keys(await limits.find(account)).length > 0;
        if (!hasSettings && !(await new UserStore(mongo).hasAccount(account))) {
          throw new Error(`La cuenta no tiene usuarios: ${account}`);
        }
        const unquotedGuides = cotizar?.stored;
        if (reset) await limits.unset(account, LIMITS);
        if (cotizar && !unquotedGuides) await limits.unset(account, ['unquotedGuides']);
        if (changes || unquotedGuides) {
          await limits.set(account, { ...change, ...(unquotedGuides && { unquotedGuides }) });
        }
        return { text: limitsTable(account, await limits.find(account)) };
      });
    });
}

function parseLimit(text: string): number {
  return parseInteger(text, MAX_LIMIT, 'Un limite debe ser un numero');
}

function parseMode(text: string): Mode {
  const mode = MODES.find(({ typed }) => typed === text);
  if (mode) return mode;
  throw new UsageError('El modo de --cotizar debe ser al_crear, exigir o no');
}

function limitsTable(account: string, own: Partial<AccountSettings>): string {
  const lines = LIMITS.map((limit) => `  ${SETTINGS[limit]}: ${own[limit] ?? 'el de la configuracion'}`);
  const modes = MODES.filter(({ stored }) => stored === own.unquotedGuides);
  const unquoted = modes.map(({ typed, words }) => `Sus guias sin cotizacion ${words} (${typed})`);
  return [`Limites de la cuenta ${account}:`, ...lines, ...unquoted].join('\n');
}
