import { stopAllProcesses } from '../../process/owned-process.ts';
import { provideClientTools } from './client-tools.ts';

/** Part of `npm run test:clients`: fetches what generates clients, and what they are compiled with. */

const log = (line: string) => void process.stderr.write(`${line}\n`);
try {
  await provideClientTools(log);
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
} finally {
  await stopAllProcesses();
}
