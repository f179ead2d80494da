import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as it came in, with the service that sent it. */
export type Span = {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, unknown>;
  /** Whatever it says in words: names, attributes of itself and its events, status. */
  texts: string[];
};

type Attributes = { key: string; value: Record<string, unknown> }[];
type OtlpSpan = Omit<Span, 'service' | 'attributes' | 'texts'> & {
  attributes: Attributes;
  events?: { name: string; attributes?: Attributes }[];
  status?: { message?: string };
};
type OtlpTraces = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: OtlpSpan[] }[] }[];
};

/** Takes traces as an OpenTelemetry collector does: OTLP over HTTP, in JSON. */
export async function startTraceCollector() {
  const spans: Span[] = [];
  const server = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as OtlpTraces;
    for (const { resource, scopeSpans } of resourceSpans) {
      const service = String(plain(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) spans.push(readable(service, span));
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

function readable(service: string, span: OtlpSpan): Span {
  const attributes = plain(span.attributes);
  const events = (span.events ?? []).map(({ name, attributes = [] }) => ({ name, ...plain(attributes) }));
  const texts = [span.name, span.status?.message ?? '', JSON.stringify([attributes, events])];
  return { ...span, service, attributes, texts };
}

function plain(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
