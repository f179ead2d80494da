import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client) {
    const [guide] = await client.created(minimalGuide());
    const Eventos = [{ Tipo: 'Entregado', Cobrado: { Monto: 450.5, Medio: 'efectivo' } }];
    await client.post(`/api/guias/${guide?.SEND_GUIA}/simular`, { Eventos });
  },
};
