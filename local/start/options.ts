import { parseArgs } from 'node:util';
import { isFreePort } from '../process/free-port.ts';
import { SetupError } from '../setup-error.ts';
import type { ServiceName } from '../system.ts';

export const HELP = `Usage: npm start [-- --fresh]

Starts the whole system on this machine, with everything that it needs, and stops it on Ctrl-C.

  --fresh  start with an empty database and new demo data
  --help   show this text

Environment variables:
  API_PORT, BRANCHES_PORT, LABEL_WORKER_PORT, DASHBOARD_PORT, WEBHOOKS_PORT, CANARY_PORT
                   ports other than 3000, 3001, 3002, 3003, 3004 and 3006
  MONGODB_URI, REDIS_URL, LABEL_CACHE_URL, CHROMIUM_PATH
                   use these instead of starting or installing one
  DEBUG=1          print the stack of an error
  LOG_LEVEL=debug  or any other setting of a service (k8s/settings.md)
`;

/** @throws SetupError for an unknown option. */
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

/** `usual`: the port without the variable (docs/contract.md "Ports"). */
const PORTS: Record<ServiceName, { variable: string; usual: number }> = {
  api: { variable: 'API_PORT', usual: 3000 },
  branches: { variable: 'BRANCHES_PORT', usual: 3001 },
  'label-worker': { variable: 'LABEL_WORKER_PORT', usual: 3002 },
  dashboard: { variable: 'DASHBOARD_PORT', usual: 3003 },
  webhooks: { variable: 'WEBHOOKS_PORT', usual: 3004 },
  canary: { variable: 'CANARY_PORT', usual: 3006 },
};

/** @throws SetupError unless each is a free port. */
export async function choosePorts(): Promise<Record<ServiceName, number>> {
  const ports = {} as Record<ServiceName, number>;
  for (const name of Object.keys(PORTS) as ServiceName[]) {
    const { variable, usual } = PORTS[name];
    const port = Number(process.env[variable] || usual);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new SetupError(`${variable} must be a port, such as ${variable}=${usual + 100}.`);
    }
    if (Object.values(ports).includes(port) || !(await isFreePort(port))) {
      throw new SetupError(`Port ${port} is taken: choose another with ${variable}=${port + 100} npm start.`);
    }
    ports[name] = port;
  }
  return ports;
}
