import { DomainError } from '#shared/errors/domain-error.ts';

export type PendingLabel = Pick<PromiseWithResolvers<Uint8Array>, 'resolve' | 'reject'>;

/**
 * Prints a batch, and settles each of its labels with a PDF or an error. If Chromium refuses a batch, its halves are
 * printed one after the other, until the faulty label stands alone.
 * @param printTogether returns one PDF a label, in their order. It throws DomainError `browser-failed` if no label is at fault.
 */
export async function printBatch<Label extends PendingLabel>(
  batch: readonly Label[],
  printTogether: (labels: readonly Label[]) => Promise<Uint8Array[]>,
): Promise<void> {
  try {
    const files = await printTogether(batch);
    for (const [i, file] of files.entries()) batch[i]?.resolve(file);
  } catch (cause) {
    if (isBrowserFailure(cause)) {
      for (const { reject } of batch) reject(cause);
    } else if (batch.length === 1) {
      batch[0]?.reject(new DomainError('label-unprintable', { cause }));
    } else {
      const half = Math.ceil(batch.length / 2);
      await printBatch(batch.slice(0, half), printTogether);
      await printBatch(batch.slice(half), printTogether);
    }
  }
}

export function isBrowserFailure(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'browser-failed';
}
