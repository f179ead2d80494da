import { log, runCommand } from '../../engines/offer.ts';
import { provideClientTools } from './client-tools.ts';

/** Part of `npm run test:clients`: fetches what generates clients, and what they are compiled with. */

await runCommand(() => provideClientTools(log));
