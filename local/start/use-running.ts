import { readRunning } from './running-system.ts';

/**
 * Preloaded by the commands for operators (package.json): without `MONGODB_URI` they work on the `npm start` of this checkout,
 * if it runs, and say so.
 */

const { MONGODB_URI, MONGODB_URI_FILE } = process.env;
// An empty one, as of a shell variable without a value, is refused by the command.
if (MONGODB_URI === undefined && MONGODB_URI_FILE === undefined) {
  try {
    const running = readRunning();
    if (running) {
      process.env.MONGODB_URI = running.mongoUri;
      process.stderr.write('Sin MONGODB_URI: en el npm start de este directorio.\n');
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exit(1);
  }
}
