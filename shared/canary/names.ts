/**
 * Returns the names of the canary of a cell (`CELL`, empty where there is one cell): its account, the user with its API key, and the
 * user that only logs in, because a password can make keys.
 */
export function canaryNames(cell: string): { account: string; user: string; loginUser: string } {
  const suffix = cell === '' ? '' : `-${cell}`;
  return { account: `guardia${suffix}`, user: `guardia${suffix}`, loginUser: `guardia-entrada${suffix}` };
}
