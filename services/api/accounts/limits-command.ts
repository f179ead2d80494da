import type { Command } from 'commander';
import type { UserStore } from '#shared/auth/user-store.ts';
import { MAX_LIMIT } from '../config.ts';
import type { AccountLimits, AccountLimitsStore } from './account-limits.ts';
import { AccountError } from './accounts.ts';
import { NAME_RULE, parseAccount, UsageError } from './arguments.ts';
import { example } from './commands.ts';

/** Runs the command on limits and users, records it in the audit trail, and then prints the text that it returns. */
type WithLimits = (use: (limits: AccountLimitsStore, users: UserStore) => Promise<string>) => Promise<void>;

/** Each limit with the setting of its default. */
const SETTINGS: Readonly<Record<keyof AccountLimits, string>> = {
  requestsPerSecond: 'REQUESTS_PER_SECOND_PER_ACCOUNT',
  requestsBurst: 'REQUESTS_BURST_PER_ACCOUNT',
  guidesPerDay: 'GUIDES_PER_DAY_PER_ACCOUNT',
  labelPages: 'LABEL_PAGES_PER_ACCOUNT',
};

/** Adds the command that shows and sets what an account may use. */
export function addLimitsCommand(program: Command, withLimits: WithLimits): void {
  program
    .command('limits')
    .description('Muestra lo que una cuenta puede usar, o lo cambia; rige en menos de 10 segundos.')
    .argument('<cuenta>', NAME_RULE, parseAccount)
    .option('--requests-per-second <n>', 'solicitudes por segundo, a la larga', parseLimit)
    .option('--requests-burst <n>', 'solicitudes de una vez, tras una pausa', parseLimit)
    .option('--guides-per-day <n>', 'guias por dia', parseLimit)
    .option('--label-pages <n>', 'paginas de etiquetas a la vez', parseLimit)
    .option('--default', 'los de la configuracion, para todo')
    .addHelpText('after', example('limits tienda --requests-per-second 2000 --guides-per-day 500000'))
    .action((account: string, { default: reset = false, ...change }) => {
      const changes = Object.keys(change).length > 0;
      if (reset && changes) throw new UsageError('Indique limites, o bien --default');
      return withLimits(async (limits, users) => {
        const known = await users.list();
        if (!known.some((user) => user.account === account)) {
          throw new AccountError(`La cuenta no tiene usuarios: ${account}`);
        }
        if (reset) await limits.remove(account);
        if (changes) await limits.set(account, change);
        return limitsTable(account, await limits.find(account));
      });
    });
}

function parseLimit(text: string): number {
  const limit = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new UsageError(`Un limite debe ser un numero entero de 1 a ${MAX_LIMIT}`);
}

function limitsTable(account: string, own: Partial<AccountLimits>): string {
  const lines = Object.entries(SETTINGS).map(([limit, setting]) => {
    const value = own[limit as keyof AccountLimits] ?? 'el de la configuracion';
    return `  ${setting}: ${value}`;
  });
  return [`Limites de la cuenta ${account}:`, ...lines].join('\n');
}
