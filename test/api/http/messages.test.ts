import { expect, test } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { type HttpError, textOf } from '#shared/http/http-errors.ts';

/** What the service fills into a message. */
const FILLED = new Proxy({}, { get: () => '…' });

test('no status, code or message changes unseen: clients rely on each (vitest -u writes them anew)', async () => {
  const lines = Object.values<HttpError>(errorsOf(ROOMS)).map(
    (error) => `${error.status} ${error.codigo ?? '-'}: ${textOf(error, FILLED) ?? '-'}`,
  );
  await expect([...new Set(lines)].toSorted().join('\n')).toMatchFileSnapshot('messages.txt');
});
