import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { AT_DESTINATION, STATES } from '#shared/guides/event-types.ts';
import type { LogEntry } from '#shared/tracking/event-model.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import { lookAt } from '#test/fixtures/axe.ts';
import { openTab } from '#test/fixtures/browser.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import { event, test as eventTest } from '#test/fixtures/events.ts';

const NARROW = { width: 320, height: 640 };
const PHONE = { width: 390, height: 844 };
const WIDE = { width: 1280, height: 900 };

const PAGES = [
  'rastreo',
  'rastreo-en-reparto',
  'rastreo-problema',
  'rastreo-entregado',
  'rastreo-listo',
  'rastreo-creada',
  'rastreo-404',
] as const;

const test = eventTest
  .extend('settings', {
    TRUST_PROXY: '1',
    PUBLIC_URL: 'https://guias.example',
    CARRIER_CONTACT: '81 5000 0000',
  })
  /** Guides in several states, by a name. */
  .extend('paths', { scope: 'file' }, async ({ demo, newGuide, register, stores }) => {
    const [moving, failed, delivered] = [
      await newGuide(),
      await newGuide({ Producto: { Contenido: 'Libros', Paquetes: 3 } }),
      await newGuide(),
    ];
    const numbers = [moving, failed, delivered];
    await stores.mongo
      .collection<{ _id: string }>('guides')
      .updateMany({ _id: { $in: numbers } }, { $set: { createdUtc: new Date('2026-11-19T15:12:00Z') } });
    const at = (Ocurrido: string, Sucursal?: string, more = {}) => ({
      Ocurrido,
      ...(Sucursal && { Sucursal }),
      ...more,
    });
    for (const guide of numbers) {
      await register(
        event(guide, 'Recolectado', at('2026-11-19T23:40:00Z', 'MEX01')),
        event(guide, 'EnTransito', at('2026-11-20T04:05:00Z', 'MEX01')),
        event(guide, 'EnTransito', at('2026-11-20T13:22:00Z', 'MTY01')),
        event(guide, 'EnReparto', at('2026-11-20T15:30:00Z', 'MTY01')),
      );
    }
    await register(
      event(
        failed,
        'Incidencia',
        at('2026-11-20T18:47:00Z', 'MTY01', { Motivo: 'destinatario_ausente', Paquete: 2 }),
      ),
      event(delivered, 'Entregado', at('2026-11-20T18:47:00Z', 'MTY01')),
    );
    const { body } = await demo.create([minimalGuide({ CodigoPostal: '64000' })], 'the service');
    const [{ SEND_GUIA: ready }] = body.data as [{ SEND_GUIA: string }];
    await register(event(ready, 'EnSucursal', { Sucursal: 'MTY01' }));
    return {
      rastreo: '/rastreo',
      'rastreo-en-reparto': `/rastreo/${moving}`,
      'rastreo-problema': `/rastreo/${failed}`,
      'rastreo-entregado': `/rastreo/${delivered}`,
      'rastreo-listo': `/rastreo/${ready}`,
      'rastreo-creada': `/rastreo/${await newGuide()}`,
      'rastreo-404': '/rastreo/1',
    } satisfies Record<(typeof PAGES)[number], string>;
  })
  .extend('open', { scope: 'file' }, ({ api, browser }) => {
    let visitors = 0;
    return async (path: string, viewport = WIDE) => {
      const { page, failures } = await openTab(browser);
      await page.setExtraHTTPHeaders({ 'x-forwarded-for': `10.8.${visitors++}.1` });
      await page.setViewport(viewport);
      await page.goto(api.url + path);
      return { page, failures: failures.filter((text) => !text.includes('404')) };
    };
  });

describe('the tracking page in a browser', () => {
  // A test for each page: all in one would not be done in a minute on a slow machine.
  test.for(PAGES)(
    '%s has no finding of axe, in light and dark, and fits from 320 px on',
    async (name, { open, paths }) => {
      const { page, failures } = await open(paths[name]);
      for (const [viewport, scheme] of [
        [NARROW, 'light'],
        [PHONE, 'dark'],
        [WIDE, 'light'],
      ] as const) {
        await lookAt(page, name, viewport, [scheme]);
      }
      expect(failures).toEqual([]);
      await page.close();
    },
  );

  test('is used by keyboard: the number, then the guide', async ({ open, paths, stores }) => {
    const { page } = await open(paths.rastreo, PHONE);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('guia');
    const outline = "getComputedStyle(document.activeElement).outlineStyle !== 'none'";
    expect(await page.evaluate(outline)).toBe(true);
    const entry = await stores.mongo.collection<LogEntry>('events').findOne();
    await page.keyboard.type(entry?.told.Guia ?? '');
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')]);
    expect(await page.evaluate('document.querySelector("h1").textContent')).toBe('En reparto');
    for (const link of ['81 5000 0000', 'Rastrear otra guía']) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe(link);
    }
    await page.close();
  });

  test('breaks no word of a title at 320 px', async ({ open, paths }) => {
    const { page } = await open(paths['rastreo-problema'], NARROW);
    const problems = Object.values(REASONS).map(
      (reason) => `${STATES.Incidencia.title}: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`,
    );
    const states = [...Object.values(STATES), ...Object.values(AT_DESTINATION)].map(({ title }) => title);
    const broken = (await page.evaluate(`${JSON.stringify([...problems, ...states])}.filter((title) => {
      const heading = document.querySelector('h1');
      heading.textContent = title;
      heading.style.overflowWrap = 'normal';
      return heading.scrollWidth > heading.clientWidth;
    })`)) as string[];
    expect(broken).toEqual([]);
    await page.close();
  });

  test('says where a guide is to who hears it: one heading, current step', async ({ open, paths }) => {
    const { page } = await open(paths['rastreo-en-reparto']);
    const levels = "[...document.querySelectorAll('h1,h2,h3')].map(({ tagName }) => tagName).join()";
    expect(await page.evaluate(levels)).toBe('H1,H2,H3,H3');
    expect(await page.evaluate("document.querySelector('[aria-current=step]').textContent")).toBe(
      'En reparto',
    );
    expect(await page.evaluate('document.documentElement.lang')).toBe('es');
    await page.close();
  });
});

/** `UPDATE_PICTURES=1 npm test -- test/api/tracking/page/browser` takes the pictures of the documents anew. */
if (process.env.UPDATE_PICTURES) {
  test('pictures for the documents', async ({ open, paths }) => {
    const folder = join(repoRoot, 'docs/pictures');
    await mkdir(folder, { recursive: true });
    const pictures = {
      'rastreo-telefono': [paths['rastreo-en-reparto'], { width: 390, height: 800 }],
      rastreo: [paths['rastreo-entregado'], { width: 1024, height: 760 }],
    } as const;
    for (const [name, [path, viewport]] of Object.entries(pictures)) {
      const { page } = await open(path, viewport);
      await writeFile(join(folder, `${name}.png`), await page.screenshot());
      await page.close();
    }
  });
}
