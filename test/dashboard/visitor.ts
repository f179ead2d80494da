import { DEMO_PASSWORD } from '#local/demo-data.ts';

/** The dashboard as one browser sees it: with its cookie, and saying where requests come from as browsers do. */
export class Visitor {
  readonly url: string;
  cookie = '';

  constructor(url: string) {
    this.url = url;
  }

  /** A visitor who is logged in. */
  static async operator(url: string): Promise<Visitor> {
    const visitor = new Visitor(url);
    await visitor.login('operaciones');
    return visitor;
  }

  async login(usuario: string, contrasena = DEMO_PASSWORD, headers: Record<string, string> = {}) {
    const body = new URLSearchParams({ usuario, contrasena });
    const answer = await this.send('POST', '/entrar', { headers, body });
    const [cookie] = answer.headers.getSetCookie();
    this.cookie = cookie?.split(';')[0] ?? this.cookie;
    return answer;
  }

  /** A person goes to a page; redirections are not followed. */
  page(path: string) {
    return this.send('GET', path, { headers: { accept: 'text/html,*/*;q=0.8' } });
  }

  async send(
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: URLSearchParams | string } = {},
  ) {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(20_000),
      headers: {
        'sec-fetch-site': 'same-origin',
        ...(body && { accept: 'text/html' }),
        ...(this.cookie && { cookie: this.cookie }),
        ...headers,
      },
      ...(body && { body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
}
