import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';

/**
 * Runs one of the programs of this folder: parses its options, answers `--help`, and explains a failure in one message on
 * standard error. Exit code 0: done, 1: failed, 2: wrong usage.
 */
export async function runProgram(
  help: string,
  options: ParseArgsOptionsConfig,
  work: (values: Readonly<Record<string, unknown>>) => Promise<void> | void,
): Promise<void> {
  try {
    const values: Record<string, unknown> = parseArgs({
      options: { ...options, help: { type: 'boolean' } },
    }).values;
    if (values.help) process.stdout.write(help);
    else await work(values);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const wrongUsage = code?.startsWith('ERR_PARSE_ARGS') ?? false;
    process.stderr.write(`${message}${wrongUsage ? '\nSee --help.' : ''}\n`);
    process.exitCode = wrongUsage ? 2 : 1;
  }
}
