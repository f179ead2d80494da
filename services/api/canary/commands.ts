import type { Command } from 'commander';
import { Type } from 'typebox';
import { loadConfig } from '#shared/config/load-config.ts';
import { canaryCredentials, cellSettings } from '#shared/config/settings.ts';
import { example, parseInteger } from '../accounts/commands/command-line.ts';
import type { CommandTools } from '../platform/command-tools.ts';
import { DEFAULT_WAYS, ensureCanaryAccount } from './ensure-account.ts';

/** Most ways in that limits are made for. Of more than 12 processes, each is tried less often. */
const MAX_WAYS = 13;

/** `npm run admin -- canary`: the account with which the canary tries the service. */
export function addCommands(program: Command, { run }: CommandTools): void {
  program
    .command('canary')
    .description(
      'Crea o corrige la cuenta del cliente de prueba (servicio canary): sus dos usuarios, sus limites, y CANARY_KEY como unica llave. Puede repetirse. Lee CELL, CANARY_KEY y CANARY_PASSWORD del entorno, o de los archivos que nombran CANARY_KEY_FILE y CANARY_PASSWORD_FILE.',
    )
    .option(
      '--ways <n>',
      `cuantas entradas prueba: la direccion de los clientes, mas cada proceso de api. De ahi salen sus limites; si falta, ${DEFAULT_WAYS}`,
      parseWays,
    )
    .addHelpText('after', example('canary --ways 13'))
    .action(({ ways }: { ways?: number }) =>
      run(async (mongo) => {
        const { CELL: cell, CANARY_KEY: key, CANARY_PASSWORD: password } = readSettings();
        const { changed, account } = await ensureCanaryAccount(mongo, { key, password, cell, ways });
        if (!changed) return { text: `La cuenta ${account} ya estaba bien: no se cambio nada`, changed };
        return {
          text: `La cuenta ${account} quedo lista. Una llave anterior deja de valer en 10 segundos`,
        };
      }),
    );
}

function parseWays(text: string): number {
  return parseInteger(text, MAX_WAYS, 'El numero de entradas debe ser un');
}

function readSettings() {
  return loadConfig(Type.Object({ ...cellSettings, ...canaryCredentials }), process.env);
}
