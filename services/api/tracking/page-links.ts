/** Leads from the tracking page of a guide to that of another one, with words before its number. */
export type PageLink = { words: string; number: string };
