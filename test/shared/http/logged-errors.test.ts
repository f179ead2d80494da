import { Writable } from 'node:stream';
import pino from 'pino';
import { expect, test } from 'vitest';
import { ROOMS } from '#services/api/app.ts';
import { errorsOf } from '#services/api/http/room.ts';
import { DomainError, type ErrorCode } from '#shared/errors/domain-error.ts';
import { buildHttpServer } from '#shared/http/build-http-server.ts';
import type { Logger } from '#shared/observability/logger.ts';

const httpErrors = errorsOf(ROOMS);

test.for<[ErrorCode, number, string, string | undefined]>([
  ['internal', 500, 'error_interno', 'error'],
  ['overloaded', 503, 'saturado', undefined], // expected under load
  ['origin-inactive', 400, 'origen_invalido', 'warn'], // only the carrier can correct it
  ['guide-not-found', 404, 'guia_no_encontrada', undefined],
])(
  '%s is answered with %i %s and logged as %s',
  async ([code, status, codigo, level], { onTestFinished }) => {
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
    const response = await server.inject('/');
    expect([response.statusCode, response.json()]).toMatchObject([status, { codigo }]);
    expect(lines.find(({ msg }) => msg === 'The request failed')?.level).toBe(level);
  },
);
