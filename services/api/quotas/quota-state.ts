/** How much of a limit an account has left. */
export type QuotaState = {
  /** The limit's name on the wire: requests, guides of the day, label pages in flight. */
  policy: 'solicitudes' | 'guias' | 'etiquetas';
  quota: number;
  /** Time in which an unused quota comes back whole, in seconds; absent where it bounds what is in flight. */
  windowS?: number;
  /** At least 0. */
  remaining: number;
  /** Time until the quota is whole again, in seconds; absent where only the account's own work decides. */
  resetS?: number;
};
