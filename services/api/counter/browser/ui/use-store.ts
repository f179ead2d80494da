import { useLayoutEffect, useState } from 'preact/hooks';
import type { Store } from './store.ts';

/** Returns the value of a store, and draws the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  // After the first paint would be too late: what changes before it would not be seen.
  useLayoutEffect(() => store.subscribe(() => draw({})), [store]);
  return store.get();
}
