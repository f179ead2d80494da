import type { ApiUser } from '#shared/accounts/user-store.ts';
import type { Permission } from '#shared/rooms.ts';
import { BULL_BOARD_QUEUE } from './bull-board.ts';

const TABS = [
  { name: 'Estado', href: '/', permission: 'colas.admin' },
  { name: 'Cola', href: BULL_BOARD_QUEUE, permission: 'colas.admin' },
  { name: 'Soporte', href: '/soporte', permission: 'soporte.read' },
] as const satisfies { name: string; href: string; permission: Permission }[];
const RUNBOOK = { name: 'Runbook', href: '/runbook' } as const;
type Tab = { name: (typeof TABS)[number]['name'] | typeof RUNBOOK.name; href: string };
type Viewer = Pick<ApiUser, 'username' | 'permissions'>;

/** What the partial `encabezado` shows: who is logged in, if it is known, and the tabs, of which one is the page. */
export type Header = { username: string | undefined; tabs: (Tab & { isCurrent: boolean })[] };

/** @param viewer undefined if nobody is known to be logged in: `/` then leads to the login, or to the viewer's first page. */
export function headerOf(viewer: Viewer | undefined, current: Tab['name']): Header {
  const tabs = [...(viewer ? tabsOf(viewer) : TABS.slice(0, 1)), RUNBOOK];
  return {
    username: viewer?.username,
    tabs: tabs.map(({ name, href }) => ({ name, href, isCurrent: name === current })),
  };
}

/** Returns the page on which a user begins; undefined if the user may open none. */
export function homeOf(viewer: Viewer): Tab | undefined {
  return tabsOf(viewer)[0];
}

function tabsOf({ permissions }: Viewer) {
  return TABS.filter(({ permission }) => permissions.includes(permission));
}
