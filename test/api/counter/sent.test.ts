import type { Page } from 'puppeteer-core';
import { describe, expect } from 'vitest';
import { lookAt } from '#test/fixtures/axe.ts';
import { FITS, openTab, screenshot } from '#test/fixtures/browser.ts';
import { Client, fullGuide, minimalGuide } from '#test/fixtures/client.ts';
import { event } from '#test/fixtures/events.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** "Lo enviado" of the counter, as a person uses it: what happened to a guide, and what can be done with it. */

/** A label that the service asks to wait for. */
const WAITS = /status of 503/;
const MARKUP = '<img src=x onerror=alert(1)>';

const HOUR_IN_MEXICO = {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'America/Mexico_City',
} as const;

const test = printingTest
  .extend('scanner', { scope: 'file' }, ({ api }) => Client.login(api.url, 'escaner'))
  /** Opens the counter for a user, in a session of its own. */
  .extend('enter', { scope: 'file' }, ({ api, browser }) => async (username: string) => {
    const context = await browser.createBrowserContext();
    const { page, failures } = await openTab(context as never);
    await page.setViewport({ width: 1280, height: 900 });
    await page.emulateTimezone('Asia/Tokyo');
    await page.goto(`${api.url}/mostrador#/enviado`);
    await page.locator('#usuario').fill(username);
    await page.locator('#clave').fill('demo1234');
    await page.keyboard.press('Enter');
    await page.waitForSelector('.enviado');
    return { page, failures };
  });

async function press(page: Page, words: string): Promise<void> {
  await page.locator(`::-p-xpath(//button[starts-with(normalize-space(.), "${words}")])`).click();
}

async function follow(page: Page, words: string): Promise<void> {
  await page.locator(`::-p-xpath(//main//a[contains(., "${words}")])`).click();
}

/** Waits until the page says something. */
async function says(page: Page, words: string): Promise<void> {
  await page.waitForFunction(`document.body.innerText.includes(${JSON.stringify(words)})`);
}

/** Goes to another view, and waits until the one before is gone. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    addEventListener('hashchange', () => done(), { once: true });
    location.hash = ${JSON.stringify(`#/enviado/${path}`)};
  })`);
}

/** The view fits every screen, and axe finds nothing. */
async function expectFine(page: Page, name: string): Promise<void> {
  await lookAt(page, `enviado-${name}`, { width: 360, height: 900 });
  for (const width of [768, 1280]) {
    await page.setViewport({ width, height: 900 });
    expect([name, width, await page.evaluate(FITS)]).toEqual([name, width, true]);
    await screenshot(page, `enviado-${name}-${width}`);
  }
}

describe('what was sent', () => {
  test('a guide from the list to its return', { timeout: 120_000 }, async ({ demo, scanner, enter }) => {
    const [late, delivered] = await demo.created(
      { ...minimalGuide(), Referencia: 'PEDIDO-7001' },
      { ...fullGuide(), Cotizacion: undefined, Cobro: undefined, Referencia: 'PEDIDO-7002' },
    );
    const Nombre = MARKUP;
    await demo.created({ ...minimalGuide(), Destinatario: { Nombre, CodigoPostal: '64000' } });
    const [problem, good] = [late?.SEND_GUIA ?? '', delivered?.SEND_GUIA ?? ''];
    await scanner.post('/api/eventos', {
      Eventos: [
        event(problem, 'Incidencia', { Motivo: 'destinatario_ausente' }),
        event(good, 'Entregado', { Recibe: 'Luis Pérez' }),
      ],
    });
    const { page, failures } = await enter('demo');
    // What is in trouble stands first, and a name that HTML would run is a name.
    await says(page, 'Tuvieron un problema');
    expect(await page.$eval('.lista tbody a', ({ textContent }) => textContent)).toBe(problem);
    await says(page, MARKUP);
    await expectFine(page, 'guias');

    for (const number of [problem, good])
      await page.locator(`input[aria-label="Imprimir ${number}"]`).click();
    await press(page, 'Imprimir 2 etiquetas');
    await press(page, 'Imprimir etiquetas');
    await page.waitForSelector('.archivo iframe[title="etiquetas-1-a-2.pdf"]');
    await expectFine(page, 'varias-etiquetas');
    await press(page, 'Cerrar');

    // By keyboard alone: a reference, and then a number as people write it.
    await page.focus('#buscado');
    await page.keyboard.type('PEDIDO-7002');
    await page.keyboard.press('Enter');
    await says(page, 'Lo que se encontró');
    expect(await page.$$eval('.lista tbody tr', ({ length }) => length)).toBe(1);
    await press(page, 'Quitar filtros');
    await page.focus('#buscado');
    await page.keyboard.type(`${problem.slice(0, 4)} ${problem.slice(4)}`);
    await page.keyboard.press('Enter');
    await says(page, 'No había quien recibiera');

    await go(page, `guias/${good}`);
    await says(page, 'Recibió Luis Pérez');
    expect(await page.evaluate(`document.querySelector('#rastreo').value`)).toMatch(
      new RegExp(`/rastreo/${good}$`),
    );
    await expectFine(page, 'guia');
    // The paper is kept, because the user asks for it.
    await page.select('#papel', 'pequena');
    await page.click('.imprimir input[type=checkbox]');
    await press(page, 'Imprimir etiqueta');
    await page.waitForSelector(`.archivo iframe[title="guia-${good}.pdf"]`);
    await press(page, 'Ver el comprobante');
    await page.waitForSelector(`.archivo a[download="comprobante-${good}.pdf"]`);
    await expectFine(page, 'guia-impresa');
    await go(page, `guias/${problem}`);
    await page.waitForFunction(`document.querySelector('#papel')?.value === 'pequena'`);

    await go(page, `guias/${good}`);
    await press(page, 'Ver cuánto cuesta');
    await says(page, 'Cuesta $');
    await press(page, 'Crear la devolución');
    await says(page, 'El paquete vuelve con la guía');
    await press(page, 'Hacer un enlace');
    await page.waitForSelector('#enlace');
    const link = await page.evaluate(`document.querySelector('#enlace').value`);
    expect(link).toMatch(/\/devolver\/[\w-]+$/);
    await go(page, 'devoluciones');
    await follow(page, good);
    await says(page, 'Recibió Luis Pérez');
    expect(failures.filter((text) => !WAITS.test(text))).toEqual([]);
  });

  test('a manifest, its pick-up, what is cancelled, and the figures', { timeout: 120_000 }, async ({
    demo,
    enter,
  }) => {
    const [first] = await demo.created({ ...minimalGuide(), Referencia: 'PEDIDO-7101' });
    const { page, failures } = await enter('demo');
    await go(page, 'manifiestos');
    await press(page, 'Hacer uno con todo lo que espera');
    await says(page, 'Sus guías');
    await says(page, first?.SEND_GUIA ?? '');
    const manifest = page.url().split('/').at(-1) ?? '';
    await expectFine(page, 'manifiesto');
    await press(page, 'Imprimir manifiesto');
    await page.waitForSelector('.archivo iframe[src^="blob:"]');

    await follow(page, 'Pedir que pasen');
    await page.locator('#recoger-cp').fill('06600');
    await page.waitForSelector('#recoger-ventana option:nth-child(2)');
    // The first may close meanwhile.
    await page.select('#recoger-ventana', '1');
    await page.locator('#recoger-Celular').fill('55 1234 5678');
    await page.locator('#recoger-Calle').fill('Av. Reforma');
    await expectFine(page, 'pedir');
    await press(page, 'Pedir la recolección');
    await says(page, 'Solicitada');
    const asked = page.url().split('/').at(-1) ?? '';
    // Nobody asks twice.
    await follow(page, manifest);
    await says(page, 'Pasan por ellas el ');
    await follow(page, asked);
    await press(page, 'Cancelar la recolección…');
    await press(page, 'Sí, cancelarla');
    await says(page, 'a petición suya');
    await expectFine(page, 'recoleccion');

    await go(page, `guias/${first?.SEND_GUIA}`);
    await press(page, 'Cancelar la guía…');
    await says(page, 'No se puede deshacer');
    await expectFine(page, 'cancelar');
    await press(page, 'Sí, cancelarla');
    await says(page, 'Este envío ya no se hará');
    expect(await page.$('.imprimir')).toBeNull();
    // By the carrier's clock, as the guide's date is, wherever the browser is.
    await page.waitForSelector('.historial time');
    const [moment, shown] = await page.$eval('.historial time', ({ dateTime, textContent }) => [
      dateTime,
      textContent,
    ]);
    expect(shown).toContain(new Date(moment).toLocaleTimeString('es-MX', HOUR_IN_MEXICO));

    await go(page, 'uso');
    await says(page, 'El mes aún no se cierra');
    await expectFine(page, 'uso');
    for (const [view, words] of [
      ['recolecciones', 'Cancelada'],
      ['cobros', 'Por pagarle'],
      ['webhooks', 'Aquí solo se ven'],
    ] as const) {
      await go(page, view);
      await says(page, words);
      await expectFine(page, view);
    }
    // Nobody has loaded a catalogue of postal codes.
    expect(failures.filter((text) => !text.includes('404') && !WAITS.test(text))).toEqual([]);
  });

  test('guides that nobody has received after a week, without returns, which wait in their boxes', async ({
    demo,
    enter,
  }) => {
    const sent = { ...fullGuide(), Cotizacion: undefined, Cobro: undefined };
    const guides = await demo.created(...Array.from({ length: 5 }, () => sent));
    const returns = await Promise.all(
      guides.map(({ SEND_GUIA }) => demo.post(`/api/guias/${SEND_GUIA}/devolucion`, { Anticipada: true })),
    );
    expect(returns.map(({ status }) => status)).toEqual(Array(5).fill(200));
    const { page } = await enter('demo');
    await page.evaluate('const { now } = Date; Date.now = () => now() + 8 * 86_400_000');
    await go(page, 'manifiestos');
    await go(page, 'guias');
    await says(page, 'Nadie las ha recibido');
    const listed = await page.$$eval(
      '::-p-xpath(//table[contains(., "Nadie las ha recibido")]//tbody//a)',
      (links) => links.map(({ textContent }) => textContent),
    );
    expect(listed.toSorted()).toEqual(guides.map(({ SEND_GUIA }) => SEND_GUIA).toSorted());
    // Nothing in trouble is something else than what could not be read.
    await page.setRequestInterception(true);
    page.on('request', (request) =>
      request.url().includes('estatus=Documentado') ? request.respond({ status: 400 }) : request.continue(),
    );
    await go(page, 'manifiestos');
    await go(page, 'guias');
    await page.waitForSelector('section[aria-label="Lo que pide atención"] [role=alert]');
  });

  test('what a user may not do is not offered, and an empty account is told what to do', async ({
    enter,
  }) => {
    const { page } = await enter('lectura');
    await says(page, 'Todavía no hay guías');
    expect(
      await page.$$eval('.enviado > nav a', (links) => links.map(({ textContent }) => textContent)),
    ).toEqual([...['Guías', 'Manifiestos', 'Recolecciones', 'Devoluciones', 'Cifras']]);
    await go(page, 'manifiestos');
    await says(page, 'Todavía no hay manifiestos');
    expect(await page.$$eval('main button', ({ length }) => length)).toBe(0);
    await go(page, 'guias/390458235877');
    await says(page, 'Guía no encontrada');
  });
});
