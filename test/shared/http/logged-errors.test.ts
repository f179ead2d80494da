import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';

const httpErrors = errorsOf(ROOMS);

test.for<[ErrorCode, number, string | undefined]>([
  ['internal', 500, 'error'],
  ['overloaded', 503, undefined], // expected under load
  ['origin-inactive', 400, 'warn'], // only the carrier can correct it
  ['guide-not-found', 404, undefined],
])('%s is answered with %i and logged as %s', async ([code, status, level], { onTestFinished }) => {
  const lines: { level: string; msg: string }[] = [];
  const write = (line: string, _: string, done: () => void) => {
    lines.push(JSON.parse(line));
    done();
  };
  const log = pino(
    { formatters: { level: (label) => ({ level: label }) } },
    new Writable({ decodeStrings: false, write }),
  ) as unknown as Logger;
  const server = await buildHttpServer({ log, errors: httpErrors }, async (self) => {
    self.get('/', async () => {
      throw new DomainError(code, { params: { seconds: 1 } });
    });
  });
  onTestFinished(() => server.close());
  expect((await server.inject('/')).statusCode).toBe(status);
  expect(lines.find(({ msg }) => msg === 'The request failed')?.level).toBe(level);
});
