import type { HttpServer } from '#shared/http/http-server.ts';
import type { Accounts } from '../accounts/open.ts';
import type { Base } from '../http/room.ts';
import { BranchesClient } from './branches-client.ts';
import { openCatalogue } from './postal-codes/open-catalogue.ts';

/** Time limit of a query to the branches service, in ms, with the wait for a call. */
const TIMEOUT_MS = 6_000;

/** What the room provides. */
export type Branches = ReturnType<typeof openBranches>;
export type BranchesContext = Base & Accounts & Branches;

/** Opens the connections to the branches service, and the catalogue. Labels and lists work without them. */
export function openBranches(server: HttpServer, base: Base) {
  const { config } = base;
  const branches = new BranchesClient({
    url: config.BRANCHES_URL,
    token: config.INTERNAL_TOKEN,
    timeoutMs: TIMEOUT_MS,
  });
  const check = () => branches.ping();
  server.dependencies.set('branches', { check, required: false, secret: 'INTERNAL_TOKEN' });
  server.addHook('onClose', () => branches.close());
  return { branches, catalogue: openCatalogue(server, base) };
}
