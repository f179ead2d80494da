import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that parts of the page look at. */
export type Store<T> = { get(): T; set(value: T): void; subscribe(listener: () => void): () => void };

export function createStore<T>(first: T): Store<T> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the value of a store, and draws the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, draw] = useState({});
  // After the first paint would be too late: what changes before it would not be seen.
  useLayoutEffect(() => store.subscribe(() => draw({})), [store]);
  return store.get();
}
