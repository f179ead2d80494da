import { isFreePort } from '../process/free-port.ts';
import { SetupError } from '../setup-error.ts';
import type { ServiceName } from '../system.ts';

/** The variable that sets each service's port, and the port without it (docs/contract.md "Ports"). */
const PORTS: Record<ServiceName, { variable: string; usual: number }> = {
  api: { variable: 'API_PORT', usual: 3000 },
  branches: { variable: 'BRANCHES_PORT', usual: 3001 },
  'label-worker': { variable: 'LABEL_WORKER_PORT', usual: 3002 },
  dashboard: { variable: 'DASHBOARD_PORT', usual: 3003 },
  webhooks: { variable: 'WEBHOOKS_PORT', usual: 3004 },
};

/** Reads the services' ports from the environment. @throws SetupError unless each is a port that is free. */
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
