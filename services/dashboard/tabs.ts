import { BULL_BOARD_QUEUE } from './bull-board.ts';

const TABS = [
  { name: 'Estado', href: '/' },
  { name: 'Cola', href: BULL_BOARD_QUEUE },
] as const;
type Tab = { name: string; href: string };

/** What the partial `encabezado` shows: who is logged in, and the tabs, of which one is the page. */
export type Header = { username: string; tabs: (Tab & { isCurrent: boolean })[] };

/** @param runbookUrl adds a tab with this address. */
export function headerOf(username: string, current: Tab['name'], runbookUrl: string | undefined): Header {
  const tabs: Tab[] = [...TABS, ...(runbookUrl ? [{ name: 'Runbook', href: runbookUrl }] : [])];
  return { username, tabs: tabs.map((tab) => ({ ...tab, isCurrent: tab.name === current })) };
}
