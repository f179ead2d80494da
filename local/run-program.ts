import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';

type Values<O extends ParseArgsOptionsConfig> = ReturnType<typeof parseArgs<{ options: O }>>['values'];

/**
 * Runs a program: parses its options, answers `--help`, and explains a failure in one message on standard error. Exit
 * code 0: done, 1: failed, 2: wrong usage, 141: nobody reads the output any more.
 */
export async function runProgram<O extends ParseArgsOptionsConfig>(
  help: string,
  options: O,
  work: (values: Values<O>) => Promise<void> | void,
): Promise<void> {
  try {
    const { help: wantsHelp, ...values } = parseArgs({
      options: { ...options, help: { type: 'boolean' } } as ParseArgsOptionsConfig,
    }).values;
    process.exitCode = await untilPipeBreaks(async () => {
      if (wantsHelp) process.stdout.write(help);
      else await work(values as Values<O>);
      return Number(process.exitCode ?? 0);
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const wrongUsage = code?.startsWith('ERR_PARSE_ARGS') ?? false;
    process.stderr.write(`${message}${wrongUsage ? '\nSee --help.' : ''}\n`);
    process.exitCode = wrongUsage ? 2 : 1;
  }
}
