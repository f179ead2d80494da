import { Client as Connection, type Dispatcher } from 'undici';
import type { QuoteAnswer } from '#services/api/quotes/schemas.ts';
import { Client, type CreatedGuide } from '#test/fixtures/client.ts';
import { newGuide } from './guides.ts';
import { inParallel, Refusal } from './load.ts';

/** Most guides in one request. */
const MOST_GUIDES = 500;

type Request = Pick<Dispatcher.RequestOptions, 'method' | 'path' | 'body'>;

/** The API over HTTP, with as little of our own work as possible: it shares the cores with what it measures. */
export class ApiClient {
  readonly #url: string;
  readonly #connections: Connection[] = [];
  /** The last used last. undici's Pool has no such list: for each request it looks through its connections, which are thousands. */
  readonly #idle: Connection[] = [];
  readonly #headers: Record<string, string>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  static async login(url: string, user = 'demo'): Promise<ApiClient> {
    return new ApiClient(url, (await Client.login(url, user)).token);
  }

  /** Sends a new key of the user where others send a token. */
  static async byKey(url: string, user = 'demo'): Promise<ApiClient> {
    const { body } = await (await Client.login(url, user)).post('/api/llaves', { Nombre: 'medida' });
    return new ApiClient(url, (body.data as { Llave: string }).Llave);
  }

  /** @throws Refusal when it is not served. */
  async label(number: string): Promise<void> {
    await this.#pdf({ method: 'GET', path: `/api/guias/etiqueta/${number}` });
  }

  /** @throws Refusal when it is not served. */
  async smallLabel(number: string, packages: number): Promise<void> {
    await this.#pdf({ method: 'GET', path: `/api/guias/etiqueta-pequena/${number}?paquetes=${packages}` });
  }

  /** The letters of these guides as one file. @throws Refusal when it is not served. */
  async labelFile(numbers: readonly string[]): Promise<void> {
    const body = JSON.stringify({ Guias: numbers, Tipo: 'carta' });
    await this.#pdf({ method: 'POST', path: '/api/guias/etiquetas', body });
  }

  /** @returns the numbers of the guides of one request. */
  async create(guides: readonly unknown[]): Promise<string[]> {
    const { status, bytes } = await this.#request({
      method: 'POST',
      path: '/api/guias/crear',
      body: JSON.stringify({ TipoServicio: 'Domicilio', Guia: guides }),
    });
    const { message, data }: { message: string; data: CreatedGuide[] } = JSON.parse(bytes.toString());
    if (status !== 200) throw new Error(`${status}: ${message}`); // no row is about refused creations
    return data.map(({ SEND_GUIA }) => SEND_GUIA);
  }

  /** @returns the guides with their quotes. */
  async quote<Guide extends object>(guides: readonly Guide[]): Promise<(Guide & { Cotizacion: string })[]> {
    const quoted: (Guide & { Cotizacion: string })[] = [];
    for (let from = 0; from < guides.length; from += MOST_GUIDES) {
      const some = guides.slice(from, from + MOST_GUIDES);
      const body = JSON.stringify({ TipoServicio: 'Domicilio', Guia: some });
      const { status, bytes } = await this.#request({ method: 'POST', path: '/api/guias/cotizar', body });
      const { message, data }: { message: string; data: QuoteAnswer[] } = JSON.parse(bytes.toString());
      if (status !== 200) throw new Error(`${status}: ${message}`);
      const tokens = data.map(({ Opciones }) => Opciones[0]?.Cotizacion as string);
      quoted.push(...some.map((guide, i) => ({ ...guide, Cotizacion: tokens[i] as string })));
    }
    return quoted;
  }

  /** @returns how many guides a page of the list has, and the cursor of the next. @throws Refusal when it is not served. */
  async list(query: string): Promise<{ count: number; next: string | null }> {
    const { status, bytes } = await this.#request({ method: 'GET', path: `/api/guias?${query}` });
    if (status !== 200) throw new Refusal(status, bytes.toString());
    const { data, siguiente }: { data: CreatedGuide[]; siguiente: string | null } = JSON.parse(
      bytes.toString(),
    );
    return { count: data.length, next: siguiente };
  }

  /** @returns the numbers of so many new guides, for labels that nobody has asked for yet. */
  async newGuides(count: number): Promise<string[]> {
    const requests = Array.from({ length: Math.ceil(count / MOST_GUIDES) }, () => MOST_GUIDES);
    const numbers: string[] = [];
    await inParallel(requests, 2, async (size) => {
      numbers.push(...(await this.create(Array.from({ length: size }, newGuide))));
    });
    return numbers.slice(0, count);
  }

  /** Labels that nobody measures, few enough at a time that a cold service does not refuse them. */
  async warmUp(count: number): Promise<void> {
    await inParallel(await this.newGuides(count), 16, (guide) => this.label(guide));
  }

  /** Labels that nobody has asked for yet, few at a time. @returns how long each took, in ms. */
  async newLabels(count: number, concurrency: number): Promise<number[]> {
    const guides = await this.newGuides(count);
    return (await inParallel(guides, concurrency, (guide) => this.label(guide))).latencies;
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()));
  }

  async #pdf(request: Request): Promise<void> {
    const { status, bytes } = await this.#request(request);
    if (status !== 200) throw new Refusal(status, bytes.toString());
    if (bytes.toString('latin1', 0, 5) !== '%PDF-') throw new Error('A label that is not a PDF');
  }

  async #request(request: Request): Promise<{ status: number; bytes: Buffer }> {
    const connection = this.#idle.pop() ?? this.#connect();
    try {
      const { statusCode, body } = await connection.request({ ...request, headers: this.#headers });
      return { status: statusCode, bytes: Buffer.from(await body.arrayBuffer()) };
    } finally {
      this.#idle.push(connection);
    }
  }

  #connect(): Connection {
    const connection = new Connection(this.#url, { headersTimeout: 30_000, bodyTimeout: 30_000 });
    this.#connections.push(connection);
    return connection;
  }
}
