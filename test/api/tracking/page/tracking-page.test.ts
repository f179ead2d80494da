import { describe, expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { arrivalWords } from '#services/api/http/public-pages/arrival.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as eventTest, wordsOf } from '#test/fixtures/events.ts';
import { textOf, visit } from '#test/fixtures/page-visits.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

const test = eventTest.extend('settings', { TRUST_PROXY: '1', CARRIER_NAME: 'Correcaminos' }).extend(
  'look',
  { scope: 'file' },
  ({ api }) =>
    (path: string, address?: string) =>
      visit(api.url, path, address),
);

/** Where the process looks for what is new or due, every few seconds and whoever asks; elsewhere for what is open. */
const OF_SWEEPS = ['tariffs', 'postalCodes', 'processes', 'pickups', 'returns', 'webhookSecrets'];
const isOpen = (filter: unknown) => 'openSince' in (filter as object);

describe('GET /rastreo/{guia}', () => {
  test('shows the state, and each event in words', async ({ look, newGuide, register, stores }) => {
    const guide = await newGuide({ Producto: { Contenido: 'Libros', Paquetes: 2 } });
    const created = new Date('2026-11-20T05:30:00Z'); // the 19th in Mexico
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: guide }, { $set: { createdUtc: created } });
    const answer = await register(
      event(guide, 'Recolectado', { Ocurrido: '2026-11-20T16:05:00Z', Sucursal: 'MEX01' }),
      event(guide, 'EnTransito', { Ocurrido: '2026-11-21T05:59:00Z' }),
      event(guide, 'Entregado', { Ocurrido: '2026-11-21T17:00:00Z', Id: 'mal' }),
      event(guide, 'Anulacion', { Ocurrido: '2026-11-21T17:01:00Z', Anula: 'mal' }),
      event(guide, 'Incidencia', {
        Ocurrido: '2026-11-21T18:00:00Z',
        Sucursal: 'MTY01',
        Motivo: 'destinatario_ausente',
        Paquete: 2,
      }),
    );
    expect(new Set(wordsOf(answer))).toEqual(new Set(['registrado']));
    const { status, text } = await look(`/rastreo/${guide}`);
    expect([status, text]).toEqual([
      200,
      `Correcaminos Guía ${guide} Hubo un problema: no había quien recibiera ` +
        'Lo estamos resolviendo. Abajo está lo que pasó. ' +
        '0 de 2 paquetes entregados Paquete 1 En camino ' +
        'Paquete 2 Hubo un problema: no había quien recibiera, Monterrey, Nuevo León ' +
        'Lo que ha pasado ' +
        'sábado, 21 de noviembre 12:00 Hubo un problema No había quien recibiera Monterrey, Nuevo León Paquete 2 de 2 ' +
        'viernes, 20 de noviembre 23:59 En camino 10:05 Recolectado Cuauhtémoc, Ciudad de México ' +
        'jueves, 19 de noviembre 23:30 Guía creada ' +
        'Las horas son hora del centro de México. Rastrear otra guía',
    ]);
  });

  test('has the address of the branch where the parcel waits', async ({ demo, look, register }) => {
    const { body } = await demo.create([minimalGuide({ CodigoPostal: '64000' })], 'the service');
    const [{ SEND_GUIA: guide }] = body.data as [{ SEND_GUIA: string }];
    await register(event(guide, 'EnSucursal'));
    expect((await look(`/rastreo/${guide}`)).text).toContain(
      'Listo para recoger El paquete espera en la sucursal. Monterrey Centro Av. Juárez 800, Centro, 64000 ',
    );
  });

  test('says on which days a quoted guide arrives', async ({ look, newGuide, stores }) => {
    const guide = await newGuide();
    const EntregaEstimada = {
      Desde: '2999-11-26',
      Hasta: '2999-11-27',
      SiSeRecibeAntesDe: '2999-11-24T17:00',
    };
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: guide }, { $set: { quote: { EntregaEstimada } } });
    expect((await look(`/rastreo/${guide}`)).text).toContain(arrivalWords(EntregaEstimada));
  });

  test('has no word of a person or account, whatever fields', async ({ demo, look, register }) => {
    const secrets: string[] = [];
    const number = 7_100_000_000;
    /** Every text and every number of the guide is one that stands nowhere else. */
    const marked = (value: unknown, name: string): unknown => {
      // The page says it to whoever has to pay.
      if (name === 'Cobro') return value;
      if (typeof value === 'object') {
        return Object.fromEntries(
          Object.entries(value as object).map(([key, part]) => [key, marked(part, key)]),
        );
      }
      if (['DestinoCode', 'CodigoPostal', 'Paquetes'].includes(name)) return value;
      const secret =
        name === 'Email'
          ? `secreto${secrets.length}@ejemplo.mx`
          : /Telefono|Celular/.test(name)
            ? String(number + secrets.length)
            : name === 'RFC'
              ? `SEC8001${String(10 + secrets.length)}AB1`
              : typeof value === 'number'
                ? 100 + secrets.length + 0.37
                : `Zz${name}`;
      secrets.push(String(secret));
      return secret;
    };
    const [created] = await demo.created(marked(fullGuide(), ''));
    const guide = created?.SEND_GUIA ?? '';
    const told = event(guide, 'Entregado', { Sucursal: 'MTY01', Recibe: 'ZzRecibe', Nota: 'ZzNota' });
    expect(wordsOf(await register(told))).toEqual(['registrado']);
    const { status, html } = await look(`/rastreo/${guide}`);
    expect([status, secrets.length]).toEqual([200, 34]);
    const branch = BRANCHES.find(({ Codigo }) => Codigo === 'MTY01');
    const others = [
      'ZzRecibe',
      'ZzNota',
      'demo',
      'escaner',
      '64000',
      branch?.Calle ?? '',
      branch?.Telefono ?? '',
    ];
    const written = html + html.replaceAll(' ', ''); // phones have blanks
    expect([...secrets, ...others].filter((secret) => written.includes(secret))).toEqual([]);
  });

  test('is one 404 page for all that is not to be seen', async ({ demo, newGuide, startApi, stores }) => {
    const { uri, commands, close } = await recordCommands(stores.mongoUri);
    const { url } = await startApi({ MONGODB_URI: uri });
    const anonymised = await newGuide();
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateOne({ _id: anonymised }, { $set: { anonymised: new Date() } });
    const seen = await visit(url, `/rastreo/${await newGuide()}`);
    expect(seen.status).toBe(200);
    const unseen = ['390458235877', '390458235870', 'x', 'x'.repeat(5_000), '%00', '$ne', anonymised];
    const pages = new Set<string>();
    for (const [i, number] of unseen.entries()) {
      commands.length = 0;
      const { status, html, headers } = await visit(url, `/rastreo/${number}`, `10.9.${i}.1`);
      const work = commands
        .filter(({ find, filter }) => find && !OF_SWEEPS.includes(String(find)) && !isOpen(filter))
        .map(({ find, filter }) => [find, Object.keys(filter as object)]);
      expect([status, textOf(html), work.toSorted(), headers.get('content-length')]).toEqual([
        404,
        'Correcaminos No encontramos esa guía Revise el número: son doce dígitos, los que están junto al código de barras. Número de guía Rastrear',
        [
          ['events', ['told.Guia']],
          ['guides', ['_id']],
        ],
        String(Buffer.byteLength(html)),
      ]);
      pages.add(html);
    }
    expect(pages.size).toBe(1);
    expect((await demo.get('/rastreo/x')).headers.get('content-type')).toBe('text/html; charset=utf-8');
    await close();
  });

  test('shows the city of a closed branch, and of a load', async ({ look, newGuide, register, stores }) => {
    const store = new BranchStore(stores.mongo);
    const { branches } = await store.snapshot();
    const guide = await newGuide();
    await register(event(guide, 'EnTransito', { Sucursal: 'MTY01' }));
    const shows = async (city: string) => (await look(`/rastreo/${guide}`)).text.includes(city);
    expect(await shows('Monterrey, Nuevo León')).toBe(true);
    const changed = branches.map((one) =>
      one.Codigo === 'MTY01' ? { ...one, Municipio: 'San Nicolás', Activa: false } : one,
    );
    await store.loadBranches(changed);
    await expect.poll(() => shows('San Nicolás, Nuevo León'), { interval: 20 }).toBe(true);
    await store.loadBranches(branches);
  });

  test('is 429 from the thirty-first look of a network in a minute on', async ({ look, newGuide }) => {
    const guide = await newGuide();
    const network = '2001:db8:1:2:';
    for (let i = 0; i < 30; i++) {
      expect((await look(i % 2 ? '/rastreo/x' : `/rastreo/${guide}`, `${network}:${i + 1}`)).status).not.toBe(
        429,
      );
    }
    const { status, headers, text } = await look(`/rastreo/${guide}`, `${network}:ffff`);
    expect([status, text]).toEqual([
      429,
      'Correcaminos Demasiadas consultas Espere un minuto y vuelva a intentar. Número de guía Rastrear',
    ]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await look(`/rastreo/${guide}`, '2001:db8:1:3::1')).status).toBe(200);
    expect((await look('/rastreo', `${network}:ffff`)).status).toBe(200);
  });

  test('has no script, and asks browsers and search engines to keep nothing', async ({ look, newGuide }) => {
    for (const path of ['/rastreo', `/rastreo/${await newGuide()}`, '/rastreo/x']) {
      const { headers, html } = await look(path);
      expect(html).not.toMatch(/<script| style=| on\w+=/);
      expect(html).toContain('<meta name="robots" content="noindex">');
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        'x-robots-tag': 'noindex',
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  test('has no cities without branches, else 503', async ({ newGuide, register, startApi, stores }) => {
    const guide = await newGuide();
    await register(event(guide, 'EnTransito', { Sucursal: 'MTY01' }));
    const { uri, close } = await recordCommands(stores.mongoUri);
    const { url } = await startApi({ BRANCHES_URL: 'http://127.0.0.1:1', MONGODB_URI: uri });
    const { status, text } = await visit(url, `/rastreo/${guide}`);
    expect([status, text.includes('Monterrey')]).toEqual([200, false]);
    await close();
    const without = await visit(url, `/rastreo/${guide}`);
    expect([without.status, without.headers.get('retry-after'), without.text]).toEqual([
      503,
      '2',
      'Correcaminos Ahora no podemos consultar Vuelva a intentar en un momento. Número de guía Rastrear',
    ]);
  });
});

test('every page has the contact of the carrier, if there is one', async ({ look, newGuide, startApi }) => {
  const { url } = await startApi({ CARRIER_CONTACT: 'https://paqueteria.example/ayuda?a=1&b=2' });
  for (const path of ['/rastreo', `/rastreo/${await newGuide()}`, '/rastreo/x', '/rastreo/%E0']) {
    const { html, text } = await visit(url, path);
    expect(text).toContain('¿Tiene dudas? Visite paqueteria.example/ayuda?a&#x3D;1&amp;b&#x3D;2');
    expect(html).toContain('href="https://paqueteria.example/ayuda?a&#x3D;1&amp;b&#x3D;2"');
    expect((await look(path)).text).not.toContain('dudas');
  }
});

describe('GET /rastreo', () => {
  test('has the form, which leads to the guide, also of a number with blanks', async ({ look }) => {
    expect((await look('/rastreo')).text).toBe(
      'Correcaminos ¿Dónde está mi paquete? Escriba el número que está junto al código de barras. Número de guía Rastrear',
    );
    for (const [query, location] of [
      ['3904+5823+5877', '/rastreo/390458235877'],
      ['3904-5823-5877', '/rastreo/390458235877'],
      ['%2F%2Fmalo.example', '/rastreo/%2F%2Fmalo.example'],
      ['a&guia=b', '/rastreo/a'],
    ]) {
      const { status, headers } = await look(`/rastreo?guia=${query}`);
      expect([status, headers.get('location')]).toEqual([303, location]);
    }
    expect((await look('/rastreo?guia=')).status).toBe(200);
  });
});
