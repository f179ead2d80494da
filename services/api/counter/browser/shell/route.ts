import { createStore } from '../ui/store.ts';

/** The tabs by their addresses: `#/una`, and what is below it. */
export const TABS = [
  { path: 'una', name: 'Una guía' },
  { path: 'varias', name: 'Varias' },
  { path: 'enviado', name: 'Lo enviado' },
] as const;
export type Tab = (typeof TABS)[number]['path'];

/** Where the page is: its tab, and the words below it, such as a guide's number. */
export type Place = { tab: Tab; below: string[] };

export const place = createStore<Place>(read());
addEventListener('hashchange', () => place.set(read()));

function read(): Place {
  const [first, ...below] = location.hash.replace(/^#\//, '').split('/').map(decoded);
  const tab = TABS.find(({ path }) => path === first)?.path;
  return tab === undefined ? { tab: 'una', below: [] } : { tab, below: below.filter((word) => word !== '') };
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return '';
  }
}

export function addressOf(tab: Tab, ...below: string[]): string {
  return `#/${[tab, ...below.map(encodeURIComponent)].join('/')}`;
}
