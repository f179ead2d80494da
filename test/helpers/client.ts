/** An answer of the API, with its JSON body where it has one. */
export type Answer = {
  status: number;
  headers: Headers;
  body: {
    response?: string;
    message?: string;
    data?: unknown;
    details?: { indice?: number; campo?: string; message: string }[];
    requestId?: string;
  };
};

/** What `POST /api/guias/crear` gives back for a guide. */
export type CreatedGuide = {
  SEND_GUIA: string;
  SEND_SUCU_ORIG: string;
  SEND_SUCU_DEST: string;
  SEND_ESTATUS: string;
  SEND_FECHA: string;
  SEND_REMITENTE: string;
  SEND_DESTINATARIO: string;
  SEND_FLETE: number;
  SEND_TOTAL: number;
};

export async function call(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(20_000) });
  const text = await response.text();
  const body = response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {};
  return { status: response.status, headers: response.headers, body };
}

/** The API as one user sees it. */
export class Client {
  readonly url: string;
  readonly token: string;

  constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  static async login(url: string, username = 'demo', password = 'demo1234'): Promise<Client> {
    const { body } = await call(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'x-username': username, 'x-password': password },
    });
    return new Client(url, (body.data as { access_token: string }).access_token);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return call(this.url + path, { headers: this.#headers(headers) });
  }

  post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const json = { 'content-type': 'application/json', ...headers };
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return call(this.url + path, { method: 'POST', headers: this.#headers(json), body: text });
  }

  create(guides: unknown, service: unknown = 'Domicilio'): Promise<Answer> {
    return this.post('/api/guias/crear', { TipoServicio: service, Guia: guides });
  }

  async created(...guides: unknown[]): Promise<CreatedGuide[]> {
    return (await this.create(guides)).body.data as CreatedGuide[];
  }

  async pdf(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(this.url + path, {
      headers: this.#headers(headers),
      signal: AbortSignal.timeout(20_000),
    });
    return {
      status: response.status,
      headers: response.headers,
      bytes: Buffer.from(await response.arrayBuffer()),
    };
  }

  #headers(headers: Record<string, string>) {
    return { authorization: `Bearer ${this.token}`, ...headers };
  }
}

/** The least guide that the specification accepts ("Guide object"), with parts replaced. */
export function minimalGuide(destination: Record<string, unknown> = { CodigoPostal: '06600' }) {
  return {
    Remitente: { Nombre: 'Ana Lopez' },
    Destinatario: { Nombre: 'Luis Perez', ...destination },
    Producto: { Contenido: 'Libros' },
    Creado_por: {},
  };
}

/** A guide with every field. */
export function fullGuide() {
  return {
    Remitente: {
      Nombre: 'Ana López',
      Telefono: '5512345678',
      Celular: '5598765432',
      Email: 'ana@ejemplo.mx',
    },
    Destinatario: {
      Nombre: 'Luis Pérez Muñoz',
      Email: 'luis@ejemplo.mx',
      Telefono: '8112345678',
      Celular: '8198765432',
      RazonSocial: 'Comercial del Norte SA de CV',
      RFC: 'CNO800101AB1',
      Referencias: 'Portón verde, junto a la farmacia',
      CodigoPostal: '64000',
      Estado: 'Nuevo León',
      Municipio: 'Monterrey',
      Colonia: 'Centro',
      Calle: 'Av. Juárez',
      Numero_exterior: '800',
      Numero_interior: '4B',
      DestinoCode: 'MTY01',
    },
    Producto: {
      TipoEnvio: 'Paquete',
      ValorDeclarado: 1500.5,
      Contenido: 'Libros',
      InformacionAdicional: 'Frágil',
      Peso: 2.5,
      Largo: 30,
      Alto: 20,
      Ancho: 15,
    },
    Creado_por: { Nombre: 'Marta Ruiz', Agencia: 'Agencia Centro' },
  };
}
