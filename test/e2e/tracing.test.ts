import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { generateSecrets } from '#local/secrets.ts';
import { startSystem } from '#local/system.ts';
import { LABEL_QUEUE } from '#shared/contracts/label-job.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { freshStores } from '#test/fixtures/old-services.ts';
import { type Span, startTraceCollector } from '#test/fixtures/trace-collector.ts';

// The processes as `npm start` starts them, told by OpenTelemetry's own variables where a collector listens.
let stores: Awaited<ReturnType<typeof freshStores>>;
let logFolder: string;
beforeAll(async () => {
  stores = await freshStores();
  logFolder = await mkdtemp(join(tmpdir(), 'logs-'));
});
afterAll(async () => {
  await stores.close();
  await rm(logFolder, { recursive: true });
});

const SERVICES = ['api', 'branches', 'label-worker'];
const secrets = generateSecrets();
const start = () =>
  startSystem({
    mongoUri: stores.env.MONGODB_URI ?? '',
    redisUrl: inject('redisUrl'),
    redisPrefix: stores.prefix,
    chromiumPath: inject('chromiumPath'),
    secrets,
    logFolder,
  });
const logOf = (service: string) => readFile(join(logFolder, `${service}.log`), 'utf8');

describe('a system that is not traced', () => {
  it("loads nothing of OpenTelemetry but its API, which the metrics' library brings", async () => {
    const tellWhatIsLoaded = `import { registerHooks } from 'node:module';
      registerHooks({ resolve(name, context, next) {
        const found = next(name, context);
        if (/otel|opentelemetry/.test(found.url)) process._rawDebug('loaded ' + found.url);
        return found;
      } });`;
    vi.stubEnv('NODE_OPTIONS', `--import data:text/javascript,${encodeURIComponent(tellWhatIsLoaded)}`);
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
    vi.stubEnv('OTEL_SDK_DISABLED', 'true');
    const system = await start().finally(() => vi.unstubAllEnvs());
    await system.stop();
    for (const service of SERVICES) {
      const loaded = (await logOf(service)).match(/^loaded .*/gm) ?? [];
      expect(loaded).not.toEqual([]); // or the hook tells nothing
      expect(loaded.filter((url) => !url.includes('/@opentelemetry/api/'))).toEqual([]);
    }
  });
});

describe('a system that is traced', () => {
  const CREATION = 'creacion-1';
  const LABEL = 'etiqueta-1';
  let token: string;
  let numbers: string[];
  let collector: Awaited<ReturnType<typeof startTraceCollector>>;
  const ofRequest = (id: string, service: string) =>
    collector.spans.find((span) => span.service === service && span.attributes['request.id'] === id) as Span;
  const ofTrace = ({ traceId }: Span) => collector.spans.filter((span) => span.traceId === traceId);
  const parentOf = ({ parentSpanId }: Span) => collector.spans.find(({ spanId }) => spanId === parentSpanId);
  /** Who called whom, from the first to this one. */
  function way(span: Span | undefined): string[] {
    return span ? [...way(parentOf(span)), `${span.service}: ${span.name}`] : [];
  }

  beforeAll(async () => {
    collector = await startTraceCollector();
    vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.url);
    vi.stubEnv('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/json');
    // So that spans come at the end of the processes, or never.
    vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '600000');
    vi.stubEnv('PRINT_CONCURRENCY', '1');
    const system = await start().finally(() => vi.unstubAllEnvs());
    try {
      const demo = await Client.login(system.addresses.api);
      token = demo.token;
      // So many that the body does not arrive in one piece.
      const guides = Array.from({ length: 499 }, () => minimalGuide());
      const body = { TipoServicio: 'Domicilio', Guia: [fullGuide(), ...guides] };
      const created = await demo.post('/api/guias/crear', body, { 'x-request-id': CREATION });
      numbers = (created.body.data as { SEND_GUIA: string }[]).map(({ SEND_GUIA }) => SEND_GUIA);
      await demo.pdf(`/api/guias/etiqueta/${numbers[0]}`, { 'x-request-id': LABEL });
      await printTogether(demo, numbers.slice(1, 7));
      // What may hold personal data or a token in its address or its error's text.
      await demo.get('/api/sucursales/cobertura/06600');
      await demo.get(`/api/nada/Luis?access_token=${token}`);
      await demo.post('/api/guias/crear', '{"Remitente":{"Nombre":"Ana Lopez"');
    } finally {
      await system.stop();
      await collector.close();
    }
  });

  /** Labels that wait while the printer stands, and are printed together when it goes on. */
  async function printTogether(client: Client, numbers: string[]): Promise<void> {
    const redis = new Redis(inject('redisUrl'), { maxRetriesPerRequest: null });
    const queue = new Queue(LABEL_QUEUE, { connection: redis, prefix: stores.prefix });
    await queue.pause();
    const labels = numbers.map((number, index) =>
      client.pdf(`/api/guias/etiqueta/${number}`, { 'x-request-id': `lote-${index}` }),
    );
    const allWait = async () => (await queue.getWaitingCount()) === numbers.length;
    await vi.waitUntil(allWait, { timeout: 8_000, interval: 20 });
    await queue.resume();
    for (const { status } of await Promise.all(labels)) expect(status).toBe(200);
    await queue.close();
    redis.disconnect();
  }

  it('follows a creation from the api to the branches', () => {
    const creation = ofRequest(CREATION, 'api');
    const resolving = ofTrace(creation).find(({ service }) => service === 'branches');
    expect(way(resolving)).toEqual([
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

  it('follows a label from the api through the queue to its print', () => {
    const print = ofTrace(ofRequest(LABEL, 'api')).find(({ name }) => name === 'print');
    expect(way(print)).toEqual([
      'api: GET /api/guias/etiqueta/:guia',
      'api: add labels.letter',
      'label-worker: process labels',
      'label-worker: print',
    ]);
    expect(print?.attributes).toMatchObject({ 'batch.labels': 1 });
  });

  it('shows a print that several labels shared in the trace of each', () => {
    const sizes = numbers.slice(1, 7).map((_, index) => {
      const print = ofTrace(ofRequest(`lote-${index}`, 'api')).find(({ name }) => name === 'print');
      return Number(print?.attributes['batch.labels']);
    });
    expect(Math.max(...sizes)).toBeGreaterThan(1);
    // A print of three labels is in three traces.
    for (const [size, prints] of Map.groupBy(sizes, (size) => size)) expect(prints.length % size).toBe(0);
  });

  it('names a request by its route, and has none of what machines ask for, nor of housekeeping', () => {
    const names = [...new Set(collector.spans.map(({ service, name }) => `${service}: ${name}`))].sort();
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

  it('carries no personal data, token or secret', () => {
    const said = collector.spans.flatMap(({ texts }) => texts).join('\n');
    const { Remitente, Destinatario, Creado_por } = fullGuide();
    const people = Object.values({ ...Remitente, ...Destinatario, ...Creado_por });
    const others = ['Ana ', 'Luis', '06600', 'demo', token, secrets.internal, secrets.jwt, ...numbers];
    // A house number may also be part of a job's id.
    const found = [...people.filter(({ length }) => length > 4), ...others].filter((text) =>
      said.includes(text),
    );
    expect(found).toEqual([]);
  });

  it('puts the trace into the log lines of each service', async () => {
    for (const [id, services] of [
      [CREATION, ['api', 'branches']],
      [LABEL, ['api', 'label-worker']],
    ] as const) {
      const { traceId } = ofRequest(id, 'api');
      for (const service of services) {
        const lines = (await logOf(service)).split('\n').filter((line) => line.includes(`"${id}"`));
        expect(lines).not.toEqual([]);
        for (const line of lines) expect(JSON.parse(line)).toMatchObject({ requestId: id, traceId });
      }
    }
  });
});
