import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { startSystem } from '#local/system.ts';
import { Client, type CreatedGuide, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { test as systemTest } from '#test/fixtures/system.ts';
import { type Span, startTraceCollector } from '#test/fixtures/telemetry/trace-collector.ts';

/** The processes as `npm start` starts them, told by OpenTelemetry's own variables where a collector listens. */

const CREATION = 'creacion-1';
const LABEL = 'etiqueta-1';

const test = systemTest
  .extend('logOf', { scope: 'file' }, ({ folder }) => (service: string) => {
    return readFile(join(folder, `${service}.log`), 'utf8');
  })
  /** What a traced system sent while it worked, and the token and guides that it worked with. */
  .extend('trace', { scope: 'file' }, async ({ systemOptions }) => {
    const collector = await startTraceCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    // So that spans come at the end of the processes, or never.
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '600000');
    const system = await startSystem(systemOptions).finally(() => vi.unstubAllEnvs());
    try {
      return { ...(await work(system.addresses.api)), spans: collector.spans };
    } finally {
      await system.stop();
      await collector.close();
    }
  });

async function work(api: string): Promise<{ token: string; numbers: string[] }> {
  const demo = await Client.login(api);
  // So many that the body does not arrive in one piece.
  const guides = Array.from({ length: 499 }, () => minimalGuide());
  const body = { TipoServicio: 'Domicilio', Guia: [fullGuide(), ...guides] };
  const created = await demo.post('/api/guias/crear', body, { 'x-request-id': CREATION });
  const numbers = (created.body.data as CreatedGuide[]).map(({ SEND_GUIA }) => SEND_GUIA);
  await demo.pdf(`/api/guias/etiqueta/${numbers[0]}`, { 'x-request-id': LABEL });
  // What may hold personal data or a token in its address or its error's text.
  await demo.get('/api/sucursales/cobertura/06600');
  await demo.get(`/api/nada/Luis?access_token=${demo.token}`);
  await demo.post('/api/guias/crear', '{"Remitente":{"Nombre":"Ana Lopez"');
  return { token: demo.token, numbers };
}

const ofRequest = (spans: Span[], id: string, service: string) =>
  spans.find((span) => span.service === service && span.attributes['request.id'] === id) as Span;
const ofTrace = (spans: Span[], { traceId }: Span) => spans.filter((span) => span.traceId === traceId);
/** Who called whom, from the first to this one. */
function way(spans: Span[], span: Span | undefined): string[] {
  if (!span) return [];
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...way(spans, parent), `${span.service}: ${span.name}`];
}

describe('a system that is traced', () => {
  test('follows a creation from the api to the branches', ({ trace }) => {
    const creation = ofRequest(trace.spans, CREATION, 'api');
    const resolving = ofTrace(trace.spans, creation).find(({ service }) => service === 'branches');
    expect(way(trace.spans, resolving)).toEqual([
      'api: POST /api/guias/crear',
      'api: POST',
      'branches: POST /internal/resolve',
    ]);
    expect(resolving?.attributes).toMatchObject({
      'request.id': CREATION,
      'http.route': '/internal/resolve',
      'http.response.status_code': 200,
    });
  });

  test('follows a label from the api through the queue to its print', ({ trace }) => {
    const print = ofTrace(trace.spans, ofRequest(trace.spans, LABEL, 'api')).find(
      ({ name }) => name === 'print',
    );
    expect(way(trace.spans, print)).toEqual([
      'api: GET /api/guias/etiqueta/:guia',
      'api: add labels.letter',
      'label-worker: process labels',
      'label-worker: print',
    ]);
    expect(print?.attributes).toMatchObject({ 'batch.labels': 1 });
  });

  test('names a request by its route, and has no spans of probes, scrapes or housekeeping', ({ trace }) => {
    const names = [...new Set(trace.spans.map(({ service, name }) => `${service}: ${name}`))].sort();
    expect(names).toEqual([
      'api: GET',
      'api: GET /api/guias/etiqueta/:guia',
      'api: GET /api/sucursales/cobertura/:cp',
      'api: POST',
      'api: POST /api/auth/login',
      'api: POST /api/guias/crear',
      'api: add labels.letter',
      'branches: POST /internal/resolve',
      'label-worker: complete labels',
      'label-worker: print',
      'label-worker: process labels',
      'label-worker: wait',
    ]);
  });

  test('carries no personal data, token or secret', ({ secrets, trace }) => {
    const said = trace.spans.flatMap(({ texts }) => texts).join('\n');
    const { Remitente, Destinatario, Creado_por } = fullGuide();
    const people = Object.values({ ...Remitente, ...Destinatario, ...Creado_por });
    const others = [
      'Ana ',
      'Luis',
      '06600',
      'demo',
      trace.token,
      secrets.internal,
      secrets.jwt,
      ...trace.numbers,
    ];
    // A house number may also be part of a job's id.
    const found = [...people.filter(({ length }) => length > 4), ...others].filter((text) =>
      said.includes(text),
    );
    expect(found).toEqual([]);
  });

  test('puts the trace id into the log lines of each service', async ({ logOf, trace }) => {
    for (const [id, services] of [
      [CREATION, ['api', 'branches']],
      [LABEL, ['api', 'label-worker']],
    ] as const) {
      const { traceId } = ofRequest(trace.spans, id, 'api');
      for (const service of services) {
        const lines = (await logOf(service)).split('\n').filter((line) => line.includes(`"${id}"`));
        expect(lines).not.toEqual([]);
        for (const line of lines) expect(JSON.parse(line)).toMatchObject({ requestId: id, traceId });
      }
    }
  });
});
