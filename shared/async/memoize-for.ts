/** Returns a function that shares one value for `ms` among all its callers; after a failure it reads again. */
export function memoizeFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  const forget = () => {
    value = undefined;
  };
  return () => {
    if (!value) {
      value = read();
      value.then(() => setTimeout(forget, ms).unref(), forget);
    }
    return value;
  };
}
