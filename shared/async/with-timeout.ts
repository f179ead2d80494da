/**
 * Waits for `work`, at most `ms` milliseconds, without cancelling it. Work that ended while the event loop was blocked
 * is not late.
 * @param what names the work in the error's message, such as `Starting Chromium`.
 * @throws DOMException `TimeoutError` if `work` takes longer.
 */
export async function withTimeout<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const end = () => reject(new DOMException(`${what} took longer than ${ms} ms`, 'TimeoutError'));
    timer = setTimeout(() => setImmediate(end), ms);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
