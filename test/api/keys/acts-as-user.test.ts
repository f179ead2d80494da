import { expect } from 'vitest';
import { UserStore } from '#shared/accounts/user-store.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { userMaker } from '#test/fixtures/new-user.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** A key acts for the account and the origin of its user, in every room. */

const PASSWORD = 'una contrasena de prueba 1';

printingTest(
  'guides, quotes, labels and webhooks of a key are those of its user',
  async ({ api, demo, stores }) => {
    const newUser = await userMaker(new UserStore(stores.mongo), PASSWORD);
    await newUser('colega', {
      account: 'demo',
      permissions: ['guias.create', 'guias.read', 'guias.quote', 'webhooks.admin'],
      originBranch: 'GDL01',
    });
    const person = await Client.login(api.url, 'colega', PASSWORD);
    const { Llave } = (await person.post('/api/llaves', { Nombre: 'tienda' })).body.data as { Llave: string };
    const program = new Client(api.url, Llave);

    const goods = { Contenido: 'Libros', Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15 };
    const guide = { ...minimalGuide(), Producto: goods };
    const quoted = (await program.post('/api/guias/cotizar', { Guia: [guide] })).body.data as {
      Opciones: { Cotizacion: string }[];
    }[];
    const Cotizacion = quoted[0]?.Opciones[0]?.Cotizacion;
    const [created] = await program.created({ ...guide, Cotizacion });
    expect(created).toMatchObject({ SEND_SUCU_ORIG: 'GDL01', SEND_TOTAL: expect.any(Number) });
    expect(created?.SEND_TOTAL).toBeGreaterThan(0);
    const number = created?.SEND_GUIA ?? '';
    // `demo` is of the same account.
    expect((await demo.get(`/api/guias/${number}`)).status).toBe(200);
    const label = await program.pdf(`/api/guias/etiqueta/${number}`);
    expect([label.status, label.bytes.toString('latin1', 0, 5)]).toEqual([200, '%PDF-']);

    const { body } = await program.post('/api/webhooks', { Url: 'https://tienda.example/avisos' });
    const { Id } = body.data as { Id: string };
    expect((await demo.get(`/api/webhooks/${Id}`)).status).toBe(200);
  },
);
