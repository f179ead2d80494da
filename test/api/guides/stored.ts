import { randomUUID } from 'node:crypto';
import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  byClient(client) {
    const body = { TipoServicio: 'Domicilio', Guia: [minimalGuide()] };
    // A creation without a key goes from the journal at once.
    return client.post('/api/guias/crear', body, { 'idempotency-key': randomUUID() });
  },
};
