import { expect, test } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { type HttpError, textOf } from '#shared/http/http-errors.ts';

/** What the service fills into a message. */
const FILLED = new Proxy({}, { get: () => '…' });

test.for([{ data: { name: 'http' }, errors: errorsOf([]) }, ...ROOMS])(
  'no status, code or message of $data.name changes unseen: clients rely on each (vitest -u writes them anew)',
  async ({ data: { name }, errors }) => {
    const lines = Object.values<HttpError>(errors).map(
      (error) => `${error.status} ${error.codigo ?? '-'}: ${textOf(error, FILLED) ?? '-'}`,
    );
    if (lines.length > 0)
      await expect([...new Set(lines)].toSorted().join('\n')).toMatchFileSnapshot(`../${name}/messages.txt`);
  },
);
