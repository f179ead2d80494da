import { parseArgs } from 'node:util';
import { SetupError } from '../setup-error.ts';

export const HELP = `Usage: npm start [-- --fresh]

Starts the whole system on this machine, with everything that it needs, and stops it on Ctrl-C.

  --fresh  start with an empty database and new demo data
  --help   show this text

Environment variables:
  API_PORT, BRANCHES_PORT, LABEL_WORKER_PORT, DASHBOARD_PORT
                                         ports other than 3000, 3001, 3002 and 3003
  MONGODB_URI, REDIS_URL, CHROMIUM_PATH  use these instead of starting or installing one
  LOG_LEVEL                              lowest level that the services log
  DEBUG=1                                print the stack of an error
`;

/** Parses the command line of `npm start`. @throws SetupError for an unknown option. */
export function parseOptions(): { fresh: boolean; help: boolean } {
  try {
    const options = {
      fresh: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    } as const;
    return parseArgs({ options }).values;
  } catch (error) {
    throw new SetupError(`${(error as Error).message.split('. ')[0]}: see npm start -- --help.`);
  }
}
