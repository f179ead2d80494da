/** Data that operators load. If they are wrong, right requests are refused as if their clients were wrong. */
export const OWN_DATA = ['branches', 'coverage', 'postal-codes', 'tariff', 'users'] as const;
export type OwnData = (typeof OWN_DATA)[number];
