/** What the canary calls itself where people read it, such as the sender of its guides. */
export const CANARY_TITLE = 'Cliente de prueba';

/**
 * Returns the names of the canary of a cell (`CELL`, empty by default with Compose and `npm start`): its account, the user with its API
 * key, and the user that only logs in, because a password can make keys. Operators call users of their own `guardia`.
 */
export function canaryNames(cell: string): { account: string; user: string; loginUser: string } {
  const suffix = cell === '' ? '' : `-${cell}`;
  return {
    account: `guardia-cliente${suffix}`,
    user: `guardia-cliente${suffix}`,
    loginUser: `guardia-entrada${suffix}`,
  };
}
