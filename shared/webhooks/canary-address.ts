/** Returns where the canary at `canaryUrl` (`CANARY_URL`) receives its webhook: the one address that only its account may have. */
export function canaryWebhook(canaryUrl: string): string {
  return new URL('/webhook', canaryUrl).href;
}
