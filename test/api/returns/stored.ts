import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client) {
    const [guide] = await client.created(minimalGuide());
    const path = `/api/guias/${guide?.SEND_GUIA}/devolucion`;
    await client.post(path, { Anticipada: true });
    await client.post(`${path}/enlace`, '');
  },
};
