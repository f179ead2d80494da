import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  byClient: (client) => client.post('/api/llaves', { Nombre: 'una' }),
};
