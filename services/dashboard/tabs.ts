import { BULL_BOARD_QUEUE } from './bull-board.ts';

const TABS = [
  { name: 'Estado', href: '/' },
  { name: 'Cola', href: BULL_BOARD_QUEUE },
  { name: 'Runbook', href: '/runbook' },
] as const;
type Tab = (typeof TABS)[number];

/** What the partial `encabezado` shows: who is logged in, if it is known, and the tabs, of which one is the page. */
export type Header = { username: string | undefined; tabs: (Tab & { isCurrent: boolean })[] };

export function headerOf(username: string | undefined, current: Tab['name']): Header {
  return { username, tabs: TABS.map((tab) => ({ ...tab, isCurrent: tab.name === current })) };
}
