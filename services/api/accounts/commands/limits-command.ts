import type { Command } from 'commander';
import { UserStore } from '#shared/accounts/user-store.ts';
import { type Run, UsageError } from '#shared/commands/run-command-line.ts';
import { MAX_LIMIT } from '../../config.ts';
import { type AccountLimits, AccountLimitsStore } from '../account-limits.ts';
import { NAME_RULE } from '../names.ts';
import { example, parseAccount, parseInteger } from './command-line.ts';

const SETTINGS: Readonly<Record<keyof AccountLimits, string>> = {
  requestsPerSecond: 'REQUESTS_PER_SECOND_PER_ACCOUNT',
  requestsBurst: 'REQUESTS_BURST_PER_ACCOUNT',
  guidesPerDay: 'GUIDES_PER_DAY_PER_ACCOUNT',
  labelPages: 'LABEL_PAGES_PER_ACCOUNT',
};

export function addLimitsCommand(program: Command, run: Run): void {
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
      return run(async (mongo) => {
        const limits = new AccountLimitsStore(mongo);
        // Limits stay when an account's last user moves; only this command can remove them.
        const hasLimits = Object.keys(await limits.find(account)).length > 0;
        if (!hasLimits && !(await new UserStore(mongo).hasAccount(account))) {
          throw new Error(`La cuenta no tiene usuarios: ${account}`);
        }
        if (reset) await limits.remove(account);
        if (changes) await limits.set(account, change);
        return { text: limitsTable(account, await limits.find(account)) };
      });
    });
}

function parseLimit(text: string): number {
  return parseInteger(text, MAX_LIMIT, 'Un limite debe ser un numero');
}

function limitsTable(account: string, own: Partial<AccountLimits>): string {
  const lines = Object.entries(SETTINGS).map(([limit, setting]) => {
    const value = own[limit as keyof AccountLimits] ?? 'el de la configuracion';
    return `  ${setting}: ${value}`;
  });
  return [`Limites de la cuenta ${account}:`, ...lines].join('\n');
}
