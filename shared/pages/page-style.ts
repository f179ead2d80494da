import { readFileSync } from 'node:fs';

/** The colours and first rules of all pages of ours; each page's own style sheet follows. */
export const PAGE_STYLE = readFileSync(new URL('page.css', import.meta.url), 'utf8');
