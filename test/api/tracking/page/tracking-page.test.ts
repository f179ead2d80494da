import { describe, expect } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { arrivalWords, conditionWords } from '#services/api/http/public-pages/arrival.ts';
import { localTimeFormatter, zonedTime } from '#services/api/platform/local-time.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { STATE_EVENTS, STATES, type StateEvent } from '#shared/guides/event-types.ts';
import { type Event, REASON_NAMES, REASONS } from '#shared/tracking/event.ts';
import { fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event, test as eventTest, wordsOf } from '#test/fixtures/events.ts';
import { textOf, visit } from '#test/fixtures/page-visits.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';

const localTime = localTimeFormatter('America/Mexico_City');

const test = eventTest.override('settings', { TRUST_PROXY: '1', CARRIER_NAME: 'Correcaminos' }).extend(
  'look',
  { scope: 'file' },
  ({ api }) =>
    (path: string, address?: string) =>
      visit(api.url, path, address),
);

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

  test('has words for every state and every reason', async ({ demo, look, newGuide, register }) => {
    const shown = async (Tipo?: Event['Tipo'], more = {}) => {
      const guide = await newGuide();
      if (Tipo) await register(event(guide, Tipo, more));
      return (await look(`/rastreo/${guide}`)).text;
    };
    expect(await shown()).toContain(`${STATES.Documentado.title} ${STATES.Documentado.sentence}`);
    for (const [type, { requires, ...words }] of Object.entries(STATE_EVENTS)) {
      const text = await shown(type as StateEvent, requires && { [requires]: 'otro' });
      expect(text).toContain(`${words.title} ${words.sentence}`);
      expect(text).toContain(words.event ?? words.title);
    }
    for (const Motivo of REASON_NAMES) {
      const text = await shown('Devuelto', { Motivo });
      expect(text).toContain(`${STATES.Devuelto.event} ${REASONS[Motivo]}`);
      const [first = '', ...rest] = REASONS[Motivo];
      const headline = `Devuelto: ${first.toLowerCase()}${rest.join('')} ${STATES.Devuelto.sentence}`;
      expect(text.includes(headline)).toBe(Motivo !== 'otro');
    }
    const guide = await newGuide();
    await demo.post(`/api/guias/${guide}/cancelar`, '');
    expect((await look(`/rastreo/${guide}`)).text).toMatch(
      /Guía cancelada Este envío ya no se hará\..*Guía cancelada/,
    );
  });

  describe('of a parcel at a branch', () => {
    const READY = 'Listo para recoger El paquete espera en la sucursal.';
    const PLACE =
      'Monterrey Centro Av. Juárez 800, Centro, 64000 Monterrey, Nuevo León Teléfono 8150000101 ' +
      'Horario: Lunes a viernes de 9:00 a 18:00, sábado de 9:00 a 13:00 ';
    test.for([
      ['the service', 'MTY01', `${READY} ${PLACE}`],
      ['the service', undefined, `${READY} ${PLACE}`],
      ['the service', 'GDL01', 'En camino El paquete está de paso en Guadalajara, Jalisco. '],
      ['Domicilio', 'GDL01', 'En camino El paquete está de paso en Guadalajara, Jalisco. '],
      ['Domicilio', undefined, 'En camino El paquete está de paso en una sucursal. '],
      [
        ...(['Domicilio', 'MTY01'] as const),
        'En la sucursal de reparto El paquete llegó a la sucursal que lo lleva a la puerta. ',
      ],
    ] as const)('%s, at %s: %s', async ([service, Sucursal, words], { demo, look, register }) => {
      const { body } = await demo.create([minimalGuide({ CodigoPostal: '64000' })], service);
      const [{ SEND_GUIA: guide }] = body.data as [{ SEND_GUIA: string }];
      await register(event(guide, 'EnSucursal', Sucursal && { Sucursal }));
      const { text } = await look(`/rastreo/${guide}`);
      expect(text).toContain(`Guía ${guide} ${words}`);
      expect(text.includes('Listo para recoger')).toBe(words.startsWith(READY));
      expect(text.includes('Av. Juárez')).toBe(words.startsWith(READY));
    });

    test('of several in two cities: names neither', async ({ look, newGuide, register }) => {
      const guide = await newGuide({ Producto: { Contenido: 'Libros', Paquetes: 2 } });
      await register(
        event(guide, 'EnSucursal', { Paquete: 1, Sucursal: 'GDL01' }),
        event(guide, 'EnSucursal', { Paquete: 2, Sucursal: 'MTY01' }),
      );
      const { text } = await look(`/rastreo/${guide}`);
      expect(text).toContain(`Guía ${guide} En camino El paquete está de paso en una sucursal. `);
    });

    test('of several: ready once all that are not delivered are', async ({ demo, look, register }) => {
      const packages = {
        ...minimalGuide({ CodigoPostal: '64000' }),
        Producto: { Contenido: 'Libros', Paquetes: 7 },
      };
      const { body } = await demo.create([packages], 'the service');
      const [{ SEND_GUIA: guide }] = body.data as [{ SEND_GUIA: string }];
      const at = (Paquete: number, Sucursal: string, second: number) => ({
        ...{ Paquete, Sucursal, Ocurrido: new Date(Date.now() + second * 1_000).toISOString() },
      });
      await register(
        event(guide, 'EnSucursal', { Sucursal: 'MTY01' }),
        event(guide, 'EnSucursal', at(2, 'GDL01', 1)),
        event(guide, 'Entregado', at(7, 'MTY01', 1)),
      );
      expect((await look(`/rastreo/${guide}`)).text).toContain(
        'En camino El paquete está de paso en Guadalajara, Jalisco. ' +
          'Guía creada Recolectado En camino En reparto Entregado 1 de 7 paquetes entregados ' +
          'Paquetes 1, 3, 4, 5 y 6 Listo para recoger, Monterrey, Nuevo León ' +
          'Paquete 2 En camino, Guadalajara, Jalisco Paquete 7 Entregado, Monterrey, Nuevo León ',
      );
      await register(event(guide, 'EnSucursal', at(2, 'MTY01', 2)));
      expect((await look(`/rastreo/${guide}`)).text).toContain(
        `${READY} ${PLACE}Guía creada Recolectado En camino Listo para recoger Entregado 1 de 7 paquetes entregados ` +
          '6 paquetes Listo para recoger, Monterrey, Nuevo León ',
      );
    });
  });

  test('has no word of a person or account, whatever fields', async ({ demo, look, register }) => {
    const secrets: string[] = [];
    const number = 7_100_000_000;
    /** Every text and every number of the guide is one that stands nowhere else. */
    const marked = (value: unknown, name: string): unknown => {
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
    expect([...secrets, ...others].filter((secret) => html.includes(secret))).toEqual([]);
  });

  describe('of a guide with a quote', () => {
    const DAY_MS = 86_400_000;
    const now = Date.now();
    const dayOf = (days: number) => localTime(new Date(now + days * DAY_MS)).slice(0, 10);
    const momentOf = (days: number) => zonedTime(localTime, now + days * DAY_MS);
    const ESTIMATE = { Desde: dayOf(2), Hasta: dayOf(3), SiSeRecibeAntesDe: momentOf(1) };

    const quoted = test.extend(
      'quotedGuide',
      ({ newGuide, stores }) =>
        async (estimate: object = ESTIMATE) => {
          const guide = await newGuide();
          const createdUtc = new Date(now - 2 * DAY_MS);
          await stores.mongo
            .collection<{ _id: string }>('guides')
            .updateOne({ _id: guide }, { $set: { createdUtc, quote: { EntregaEstimada: estimate } } });
          return guide;
        },
    );

    quoted(
      'says on which days it arrives, and on what that depends while nobody has it',
      async ({ look, quotedGuide, register }) => {
        const guide = await quotedGuide();
        const [days, condition] = [arrivalWords(ESTIMATE), conditionWords(ESTIMATE.SiSeRecibeAntesDe)];
        expect((await look(`/rastreo/${guide}`)).text).toContain(
          `no recibimos el paquete. ${days}, ${condition} `,
        );
        for (const type of ['Recolectado', 'EnTransito', 'EnReparto'] as const) {
          await register(event(guide, type));
          expect((await look(`/rastreo/${guide}`)).text).toContain(`${STATES[type].sentence} ${days} `);
        }
        await register(event(guide, 'EnSucursal'));
        expect((await look(`/rastreo/${guide}`)).text).toContain(`${STATES.EnSucursal.sentence} ${days} `);
        await register(event(guide, 'Entregado'));
        expect((await look(`/rastreo/${guide}`)).text).not.toContain('Llega');
      },
    );

    quoted.for(['Incidencia', 'Devuelto', 'EnSucursal', 'Entregado'] as const)(
      'says nothing of the day after %s, and again when that is annulled',
      async (type, { look, quotedGuide, register, stores }) => {
        const guide = await quotedGuide();
        await stores.mongo
          .collection<{ _id: string }>('guides')
          .updateOne({ _id: guide }, { $set: { service: 'the service' } });
        const motive = type === 'Incidencia' || type === 'Devuelto' ? { Motivo: 'otro' } : {};
        const told = [
          event(guide, 'Recolectado'),
          event(guide, type, { ...motive, Id: 'uno', Ocurrido: new Date(Date.now() + 1_000).toISOString() }),
        ];
        expect(wordsOf(await register(...told))).toEqual(['registrado', 'registrado']);
        expect((await look(`/rastreo/${guide}`)).text).not.toContain('Llega');
        await register(event(guide, 'Anulacion', { Anula: 'uno' }));
        expect((await look(`/rastreo/${guide}`)).text).toContain(arrivalWords(ESTIMATE));
      },
    );

    quoted('says nothing of the day of a cancelled guide', async ({ demo, look, quotedGuide }) => {
      const guide = await quotedGuide();
      await demo.post(`/api/guias/${guide}/cancelar`, '');
      expect((await look(`/rastreo/${guide}`)).text).not.toContain('Llega');
    });

    quoted('says nothing of the day once the last one is over', async ({ look, quotedGuide, register }) => {
      for (const [days, isShown] of [
        [0, true],
        [-1, false],
      ] as const) {
        const guide = await quotedGuide({ ...ESTIMATE, Desde: dayOf(-1), Hasta: dayOf(days) });
        await register(event(guide, 'EnTransito'));
        expect((await look(`/rastreo/${guide}`)).text.includes('Llega')).toBe(isShown);
      }
    });

    quoted(
      'says nothing of the day of a parcel that comes too late for it',
      async ({ look, quotedGuide, register }) => {
        const guide = await quotedGuide({ ...ESTIMATE, SiSeRecibeAntesDe: momentOf(-0.5) });
        const says = async () => (await look(`/rastreo/${guide}`)).text.includes('Llega');
        expect(await says()).toBe(false);
        await register(event(guide, 'EnTransito'));
        expect(await says()).toBe(false);
        // The scanner tells later of what was in time.
        await register(event(guide, 'Recolectado', { Ocurrido: new Date(now - DAY_MS).toISOString() }));
        expect(await says()).toBe(true);
      },
    );
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
        // The process looks for a new tariff and catalogue every few seconds, whoever asks.
        .filter(({ find }) => find && find !== 'tariffs' && find !== 'postalCodes')
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
    await expect.poll(() => shows('San Nicolás, Nuevo León'), { timeout: 10_000, interval: 20 }).toBe(true);
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
