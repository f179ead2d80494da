import { afterEach, describe, expect, vi } from 'vitest';
import { quotes } from '#services/api/quotes/room.ts';
import { TariffStore } from '#services/api/quotes/tariffs/tariff-store.ts';
import { versionsIn } from '#services/api/quotes/tariffs/tariff-versions.ts';
import { DomainError } from '#shared/errors/domain-error.ts';
import { Client } from '#test/fixtures/client.ts';
import { visit } from '#test/fixtures/page-visits.ts';
import { test as services } from '#test/fixtures/services.ts';
import { recordCommands } from '#test/security/privilege/mongo-commands.ts';
import { changed, demoTariff } from '../tariffs/demo-tariff.ts';

const PARCEL = { origen: '44100', destino: '64000', peso: '2.5', largo: '30', alto: '20', ancho: '15' };
/** Tuesday, before the cutoff. */
const TUESDAY = '2026-11-24T16:00:00Z';

function addressOf(fields: Record<string, string>): string {
  return `/cotizador?${new URLSearchParams(fields)}`;
}

const test = services
  .extend('settings', { TRUST_PROXY: '1', CARRIER_NAME: 'Correcaminos' })
  .extend('look', { scope: 'file' }, ({ api }) => (path: string, address?: string) => {
    return visit(api.url, path, address);
  })
  /** Lets the page price by the demo tariff at a moment. */
  .extend('at', { scope: 'file' }, ({ api }) => (moment: string) => {
    vi.spyOn(api.contextOf(quotes).tariffs, 'now').mockReturnValue(Date.parse(moment));
    vi.spyOn(api.contextOf(quotes).tariffs, 'at').mockReturnValue({ version: 12, tariff: demoTariff });
  })
  .extend('ask', { scope: 'file' }, ({ look }) => (more: Record<string, string> = {}) => {
    return look(addressOf({ ...PARCEL, ...more }));
  });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('GET /cotizador with a parcel', () => {
  test('shows a card for each service: total, days, condition and lines', async ({ ask, at }) => {
    at(TUESDAY);
    const { status, html, text } = await ask({ origen: '06600', peso: '2,5', valor: '$1,500.00' });
    const arrival =
      'Llega entre el jueves 26 y el viernes 27 de noviembre , si se recibe antes de las 17:00 del martes 24 de noviembre.';
    expect([status, text]).toEqual([
      200,
      'Correcaminos De 06600 a 64000 Se cobran 3 kg: el paquete pesa 2.5 kg y por su tamaño cuenta como 1.8 kg. ' +
        `A domicilio $239.83 ${arrival} Cómo sale el precio ` +
        'Flete Zona 3, hasta 5 kg $163.00 Combustible 11.5 % de $163.00 $18.75 ' +
        'Seguro 1.5 % de $1,500.00, mínimo $25.00 $25.00 IVA 16 % de $206.75 $33.08 Total $239.83 ' +
        `Recoger en sucursal $208.79 ${arrival} Monterrey Centro, en Monterrey, Nuevo León Cómo sale el precio ` +
        'Flete Zona 3, hasta 5 kg $139.00 Combustible 11.5 % de $139.00 $15.99 ' +
        'Seguro 1.5 % de $1,500.00, mínimo $25.00 $25.00 IVA 16 % de $179.99 $28.80 Total $208.79 ' +
        'Precios de la lista pública, en pesos. Con un contrato el precio puede ser otro. ' +
        'Cambiar los datos Código postal de origen Código postal de destino Peso (kg) Largo (cm) Alto (cm) Ancho (cm) ' +
        'Valor declarado ($, opcional) Paquetes iguales (opcional) Ver precios Rastrear un paquete Crear guías, si es cliente',
    ]);
    expect(valuesIn(html)).toEqual(['06600', '64000', '2,5', '30', '20', '15', '$1,500.00', '']);
  });

  test.for([
    ['the plainest parcel', {}, {}],
    ['a declared value', { valor: '1500' }, { ValorDeclarado: 1500 }],
    ['several packages with a long side', { paquetes: '3', largo: '120' }, { Paquetes: 3, Largo: 120 }],
    ['a weight beyond the last break', { peso: '45,5' }, { Peso: 45.5 }],
    ['another zone', { destino: '06600' }, {}],
  ] as const)(
    'has the totals of an account of the public list: %s',
    async ([, typed, sent], { api, ask }) => {
      const otro = await Client.login(api.url, 'otro');
      const { destino = '64000' } = typed as { destino?: string };
      const { body } = await otro.post('/api/guias/cotizar', {
        Guia: [
          {
            Destinatario: { CodigoPostal: destino },
            Producto: { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ...sent },
          },
        ],
      });
      const [quote] = body.data as { Opciones: { SEND_TOTAL: number; Tarifa: { Lista: string } }[] }[];
      const totals = quote?.Opciones.map(({ SEND_TOTAL }) => SEND_TOTAL.toFixed(2));
      expect([totals?.length, quote?.Opciones[0]?.Tarifa.Lista]).toEqual([2, 'publica']);
      const { html } = await ask(typed);
      const shown = [...html.matchAll(/class="total">\$([\d,.]+)</g)].map(([, total]) =>
        total?.replaceAll(',', ''),
      );
      expect(shown).toEqual(totals);
    },
  );

  test('names one day, and the months where there are two', async ({ ask, at }) => {
    at(TUESDAY);
    expect((await ask({ destino: '44100' })).text).toContain('Llega el miércoles 25 de noviembre');
    at('2026-11-27T23:30:00Z');
    expect((await ask()).text).toContain(
      'Llega entre el martes 1 y el miércoles 2 de diciembre , si se recibe antes de las 17:00 del sábado 28 de noviembre',
    );
    at('2026-11-27T16:00:00Z');
    expect((await ask()).text).toContain('Llega entre el lunes 30 de noviembre y el martes 1 de diciembre');
  });

  test.for([
    ['no coverage', { destino: '99999' }, 'Todavía no entregamos en el código postal 99999.'],
    [
      'no coverage at an inactive branch',
      { destino: '77500' },
      'Todavía no entregamos en el código postal 77500.',
    ],
    ['no zone', { origen: '17500' }, 'Todavía no tenemos precio desde el código postal 17500.'],
    ['too heavy', { peso: '70.1' }, 'El paquete pesa 70.1 kg, y llevamos hasta 70 kg.'],
    [
      'too large for its weight',
      { largo: '150', alto: '100', ancho: '100' },
      'Por su tamaño, el paquete cuenta como 300 kg, y llevamos hasta 70 kg.',
    ],
    ['too long', { largo: '150.1' }, 'El lado más largo mide 150.1 cm, y llevamos hasta 150 cm.'],
  ] as const)('says in words why there is no price: %s', async ([, typed, words], { ask }) => {
    const { status, text, html } = await ask(typed);
    expect([status, text.includes(words), text.split(words).length]).toEqual([200, true, 2]);
    expect(text).toContain(
      `De ${{ ...PARCEL, ...typed }.origen} a ${{ ...PARCEL, ...typed }.destino} ${words} `,
    );
    expect(html).not.toContain('class="total"');
  });

  test('is for no search engine to list, unlike the empty form', async ({ ask, look }) => {
    const [result, wrong, empty] = [await ask(), await ask({ peso: 'x' }), await look('/cotizador')];
    for (const { html, headers } of [result, wrong]) {
      expect([headers.get('x-robots-tag'), html.includes('name="robots"')]).toEqual(['noindex', true]);
    }
    expect([empty.headers.get('x-robots-tag'), empty.html.includes('name="robots"')]).toEqual([null, false]);
  });

  test('has no script, and the headers of the tracking page', async ({ ask, look }) => {
    const tracking = await look('/rastreo');
    for (const { headers, html } of [await ask(), await ask({ peso: 'x' }), await look('/cotizador')]) {
      expect(html).not.toMatch(/<script| style=| on\w+=/);
      for (const name of [
        ...['content-security-policy', 'cache-control', 'content-type', 'referrer-policy'],
        ...['x-content-type-options', 'x-frame-options', 'strict-transport-security'],
      ]) {
        expect([name, headers.get(name)]).toEqual([name, tracking.headers.get(name)]);
      }
    }
  });
});

describe('GET /cotizador without a good parcel', () => {
  test('has the empty form, whatever else stands in the address', async ({ look }) => {
    for (const path of ['/cotizador', '/cotizador/', '/cotizador?utm_source=x&__proto__=y&peso[]=2']) {
      const { status, html, text } = await look(path);
      expect([status, text]).toEqual([
        200,
        'Correcaminos ¿Cuánto cuesta mi envío? Diga de dónde sale, a dónde va y cómo es el paquete. Ver un ejemplo ' +
          'Código postal de origen Código postal de destino Peso (kg) Largo (cm) Alto (cm) Ancho (cm) ' +
          'Valor declarado ($, opcional) Paquetes iguales (opcional) Ver precios Rastrear un paquete Crear guías, si es cliente',
      ]);
      expect(html).not.toContain('aria-invalid');
    }
  });

  test('leads to an example that is filled in, with its prices', async ({ at, look }) => {
    at(TUESDAY);
    const { html } = await look('/cotizador');
    const [, path = ''] = /<a href="([^"]*)" rel="nofollow">Ver un ejemplo/.exec(html) ?? [];
    const example = await look(path.replaceAll('&amp;', '&').replaceAll('&#x3D;', '='));
    expect([example.status, valuesIn(example.html)]).toEqual([
      200,
      ['06600', '64000', '2.5', '30', '20', '15', '1500', ''],
    ]);
    expect(example.text).toContain('A domicilio $239.83');
  });

  const POSTAL_CODE = 'El código postal tiene 5 dígitos.';
  const KILOGRAMS = 'Escriba un número mayor que 0 y hasta 1,000 kg.';
  const CENTIMETRES = 'Escriba un número mayor que 0 y hasta 500 cm.';
  const PESOS = 'Escriba una cantidad de 0 a 999,999,999.99 pesos, o déjelo vacío.';
  const PACKAGES = 'Escriba un número entero de 1 a 99, o déjelo vacío.';
  test.for([
    ...['', '6600', '066000', '0660a', '６４０００'].map((text) => ['origen', text, POSTAL_CODE] as const),
    ['destino', '', POSTAL_CODE],
    ...['', '0', '-1', '1000.1', '1e2', '0x10', 'Infinity', '1.2.3', '.', '2,5,1', '2 5'].map(
      (text) => ['peso', text, KILOGRAMS] as const,
    ),
    ...['largo', 'alto', 'ancho'].map((name) => [name, '500.01', CENTIMETRES] as const),
    ...['-1', '1000000000', '1,50,000', '1500 pesos'].map((text) => ['valor', text, PESOS] as const),
    ...['0', '100', '2.5', '1e1', '-1'].map((text) => ['paquetes', text, PACKAGES] as const),
  ])(
    'is 400, says what %s allows instead of "%s", and describes it by that',
    async ([name, text, rule], { ask }) => {
      const { status, html } = await ask({ [name]: text });
      expect([status, errorsIn(html)]).toEqual([400, [[name, rule]]]);
      expect(html).toMatch(
        new RegExp(`id="${name}"[^>]* aria-invalid="true" aria-describedby="${name}-error" autofocus>`),
      );
      const typed = { ...PARCEL, valor: '', paquetes: '', [name]: text };
      expect(valuesIn(html)).toEqual(Object.values(typed));
    },
  );

  test.for([
    ['peso', '.5'],
    ['peso', '2.'],
    ['peso', '1,500'],
    ['peso', ' 2,5 '],
    ['valor', '0'],
    ['valor', '1,500'],
    ['valor', '$ 1,234,567.89'],
    ['valor', '1500,5'],
    ['paquetes', '99'],
    ['paquetes', '01'],
  ] as const)('takes as people type it: %s "%s"', async ([name, text], { ask }) => {
    expect((await ask({ [name]: text })).status).toBe(200);
  });

  test('reads a comma before three digits of money as thousands, and in a weight as decimals', async ({
    ask,
  }) => {
    const totalOf = async (more: Record<string, string>) =>
      /class="total">([^<]+)/.exec((await ask(more)).html)?.[1];
    expect(await totalOf({ valor: '20,000' })).toBe(await totalOf({ valor: '20000' }));
    expect(await totalOf({ valor: '20000,5' })).toBe(await totalOf({ valor: '20000.50' }));
    expect(await totalOf({ peso: '11,250' })).toBe(await totalOf({ peso: '11.25' }));
  });

  const HOSTILE = `"><script>alert(1)</script><b x='`;
  test.for(['origen', 'destino', 'peso', 'largo', 'alto', 'ancho', 'valor', 'paquetes'])(
    'is 400 and escapes hostile input: %s',
    async (name, { ask, look }) => {
      const html = await ask({ [name]: HOSTILE });
      expect([
        html.status,
        html.html.includes('<script'),
        html.html.includes('&quot;&gt;&lt;script&gt;'),
      ]).toEqual([400, false, true]);
      const long = await ask({ [name]: '9'.repeat(5_000) });
      expect([long.status, long.html.length < 10_000]).toEqual([400, true]);
      const twice = await look(`${addressOf(PARCEL)}&${name}=1&${name}=1`);
      expect([twice.status, errorsIn(twice.html)]).toEqual([
        400,
        [[name, 'Este dato llegó más de una vez: escriba uno solo.']],
      ]);
    },
  );

  test('is 431 for a head of 10 kB, as everywhere, and 400 for what is not UTF-8 or is NUL', async ({
    ask,
    look,
  }) => {
    expect((await ask({ origen: '9'.repeat(10_000) })).status).toBe(431);
    for (const text of ['%E0', '%00', '%', '%F0%9F%92%A9']) {
      expect((await look(`/cotizador?origen=${text}`)).status).toBe(400);
    }
  });
});

describe('GET /cotizador', () => {
  test('is 429 from the thirty-first price for an address in a minute on, and for its network', async ({
    look,
  }) => {
    const network = '2001:db8:7:2:';
    const price = addressOf(PARCEL);
    for (let i = 0; i < 30; i++) {
      const path = i % 2 ? price : addressOf({ ...PARCEL, destino: '99999' });
      expect((await look(path, `${network}:${i + 1}`)).status).toBe(200);
      // Nothing is priced here, so neither counts.
      if (i % 10 === 0) expect((await look('/cotizador?peso=x', `${network}:1`)).status).toBe(400);
    }
    const { status, headers, html, text } = await look(price, `${network}:ffff`);
    expect([
      status,
      text.startsWith('Correcaminos Demasiadas consultas Espere un minuto y vuelva a intentar.'),
    ]).toEqual([429, true]);
    expect(valuesIn(html).slice(0, 2)).toEqual(['44100', '64000']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await look(price, '2001:db8:7:3::1')).status).toBe(200);
    expect((await look('/cotizador', `${network}:ffff`)).status).toBe(200);
    // The tracking page counts by itself.
    expect((await look('/rastreo/1', `${network}:ffff`)).status).toBe(404);
  });

  test('is a 503 page with the form without the branches service', async ({ startApi }) => {
    const { url } = await startApi({ BRANCHES_URL: 'http://127.0.0.1:1' });
    const { status, headers, text, html } = await visit(url, addressOf(PARCEL));
    expect([status, headers.get('retry-after')]).toEqual([503, '2']);
    expect(text).toMatch(
      /^Correcaminos Ahora no podemos consultar Vuelva a intentar en un momento\. Código postal/,
    );
    expect(valuesIn(html).slice(0, 2)).toEqual(['44100', '64000']);
  });

  test('is a 503 page while the tariff was never read, also without a question', async ({ api, look }) => {
    vi.spyOn(api.contextOf(quotes).tariffs, 'at').mockImplementation(() => {
      throw new DomainError('unavailable');
    });
    for (const path of ['/cotizador', addressOf(PARCEL)]) {
      const { status, headers, text } = await look(path);
      expect([status, headers.get('retry-after')]).toEqual([503, '2']);
      expect(text).toContain('Ahora no podemos consultar');
    }
  });

  test('prices by the last tariff while MongoDB is away', async ({ startApi, stores }) => {
    const { uri, close } = await recordCommands(stores.mongoUri);
    const { url } = await startApi({ MONGODB_URI: uri });
    await close();
    expect((await visit(url, addressOf(PARCEL))).status).toBe(200);
  });

  test('says so while there is no tariff, and names what a tariff has no price for', async ({
    look,
    startApi,
    stores,
  }) => {
    const store = new TariffStore(stores.mongo);
    const last = (await store.entries()).at(-1)?._id ?? 0;
    const folder = changed('precios.csv', (text) => text.replaceAll(/^publica,Domicilio.*\n/gm, ''));
    await store.add(last, { folder, from: new Date(), by: 'test' });
    const { url } = await startApi();
    const onlyPickup = await visit(url, addressOf(PARCEL));
    expect(onlyPickup.text).toContain(
      'A domicilio: todavía no tenemos precio para este envío. Precios de la lista',
    );
    expect([
      onlyPickup.html.match(/class="total"/g)?.length,
      onlyPickup.text.includes('Recoger en sucursal $'),
    ]).toEqual([1, true]);
    for (const { number } of versionsIn(await store.entries())) {
      const [newest] = (await store.entries()).slice(-1);
      await store.withdraw(newest?._id ?? 0, number, 'test');
    }
    for (const path of ['/cotizador', addressOf(PARCEL), '/cotizador?peso=x']) {
      await expect
        .poll(async () => (await look(path)).text)
        .toBe(
          'Correcaminos Todavía no hay tarifas Aún no podemos decirle cuánto cuesta un envío. Vuelva otro día. Rastrear un paquete Crear guías, si es cliente',
        );
      const { status, headers } = await look(path);
      expect([status, headers.get('x-robots-tag')]).toEqual([200, 'noindex']);
    }
  });
});

/** What stands in the inputs, in their order. */
function valuesIn(html: string): string[] {
  return [...html.matchAll(/<input [^>]*value="([^"]*)"/g)].map(([, value = '']) => value);
}

/** The fields that are described as wrong, with what they allow. */
function errorsIn(html: string): string[][] {
  return [...html.matchAll(/id="(\w+)-error">([^<]+)</g)].map(([, ...found]) => found);
}
