import { untilPipeBreaks, writeToOutput } from '#shared/commands/broken-pipe.ts';

/** Writes lines without an end, as a program of its own. */

function* lines() {
  for (;;) yield 'line\n';
}

process.exitCode = await untilPipeBreaks(async () => {
  await writeToOutput(lines());
  return 0;
});
