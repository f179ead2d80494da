#!/usr/bin/env node
import { resolve } from 'node:path';
import { CommanderError, Option } from 'commander';
import { KIND_NAMES, type KindName } from '#shared/contracts/label-file.ts';
import { InvalidFileError } from '#shared/csv/line-report.ts';
import { askSecret, isCancelled, readSecretLine } from '#shared/terminal/secret-input.ts';
import { explainUsage, isHelp, spanishCommand } from '#shared/terminal/spanish-command.ts';
import type { Credentials } from './api/guides-api.ts';
import { ApiError } from './api/requests.ts';
import { describeColumns, template } from './orders/template.ts';
import { sendOrders } from './send/send-orders.ts';

/**
 * `npm run guias -- enviar pedidos.csv`, or its image: guides and labels for a shop without a programmer. Exit code 0:
 * done, 1: refused or failed, 2: wrong usage.
 *
 * The password comes from a terminal without echo or from standard input, never from an argument: arguments stay in the
 * shell's history, and everybody who lists processes sees them.
 */

/** Longest password, in bytes of a header. */
const MAX_PASSWORD = 1_024;
const DEFAULT_URL = 'http://127.0.0.1:3000';

type Options = { imprimir?: string; tipo: KindName; soloRevisar?: true; url: string; usuario?: string };

class UsageError extends Error {}

process.once('SIGINT', () => {
  process.stderr.write(
    '\nInterrumpido. Repita la misma orden: los pedidos que ya tienen guia no se crean otra vez.\n',
  );
  process.exit(130);
});
process.exitCode = await run(process.argv);

/** Runs a command. @returns the exit code. */
async function run(argv: string[]): Promise<number> {
  try {
    await createProgram().parseAsync(argv);
    return 0;
  } catch (error) {
    if (isHelp(error)) return 0;
    process.stderr.write(`${explain(error)}\n`);
    return error instanceof CommanderError || error instanceof UsageError ? 2 : 1;
  }
}

function createProgram() {
  const program = spanishCommand('guias').description('Crea guias e imprime etiquetas desde un archivo CSV.');
  program
    .command('enviar')
    .description('Crea las guias de un archivo de pedidos. Con un pedido mal no se crea ninguna.')
    .argument('<pedidos.csv>', 'un pedido por linea; las columnas son los campos de una guia')
    .option('--imprimir <etiquetas.pdf>', 'imprime las etiquetas de todos los pedidos en un PDF')
    .addOption(
      new Option('--tipo <tipo>', 'etiqueta carta, o con una pagina por paquete pequena (10 x 10 cm) o 10x15')
        .choices(KIND_NAMES)
        .default('carta'),
    )
    .option('--solo-revisar', 'revisa el archivo y no crea nada')
    .addOption(new Option('--url <url>', 'direccion del servicio').env('GUIAS_URL').default(DEFAULT_URL))
    .addOption(new Option('--usuario <usuario>', 'usuario de la API').env('GUIAS_USUARIO'))
    .addHelpText(
      'after',
      `
La contrasena se pide en la terminal, o se lee de la entrada estandar (una linea).
Interrumpida, la misma orden sigue donde estaba: un pedido cuya Referencia ya tiene guia no recibe otra.
Los numeros quedan junto al archivo, en pedidos.guias.csv.

Columnas (guias plantilla > pedidos.csv las escribe con un ejemplo):
${describeColumns()}`,
    )
    .action(send);
  program
    .command('plantilla')
    .description('Escribe un archivo de pedidos con todas las columnas y un ejemplo.')
    .action(() => void process.stdout.write(template()));
  return program;
}

async function send(file: string, { imprimir, tipo, soloRevisar, url, usuario }: Options): Promise<void> {
  const service = parseUrl(url);
  if (!usuario) throw new UsageError('Falta --usuario, o la variable GUIAS_USUARIO');
  await sendOrders({
    path: typed(file),
    results: typed(file.replace(/(\.csv)?$/i, '.guias.csv')),
    labels: imprimir === undefined ? undefined : { path: typed(imprimir), kind: tipo },
    checkOnly: soloRevisar ?? false,
    credentials: () => askFor(service, usuario),
    say: (line) => void process.stdout.write(`${line}\n`),
  });
}

/** Returns a path as it was typed: npm runs a script in the package's folder. */
function typed(path: string): string {
  return resolve(process.env.INIT_CWD ?? '.', path);
}

function parseUrl(text: string): URL {
  const url = URL.parse(text.replace(/\/*$/, '/'));
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError('La URL del servicio no es valida');
  return url;
}

async function askFor(url: URL, user: string): Promise<Credentials> {
  const password = process.stdin.isTTY
    ? await askSecret(`Contrasena de ${user}:`)
    : await readSecretLine(MAX_PASSWORD);
  if (password === '') throw new Error('Falta la contrasena');
  return { url, user, password };
}

/** Says what went wrong and what to do, for whoever typed the command. */
function explain(error: unknown): string {
  if (error instanceof CommanderError) return explainUsage(error, 'guias');
  if (isCancelled(error)) return 'Cancelado: no se recibio la contrasena';
  if (error instanceof UsageError) return `${error.message}. Vea guias --help`;
  if (error instanceof InvalidFileError || error instanceof ApiError) return error.message;
  const { message, code, path, name, cause } = error as NodeJS.ErrnoException;
  if (path !== undefined) return `No se puede leer o escribir ${path} (${code})`;
  if (name === 'TimeoutError' || cause) return 'El servicio no responde. Repita la misma orden mas tarde';
  return message;
}
