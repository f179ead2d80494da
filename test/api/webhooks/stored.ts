import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client, mongo) {
    const { body } = await client.get('/api/auth/validate');
    const { usuario: username, cuenta: account } = body.data as { usuario: string; cuenta: string };
    const receiver = { account, url: 'https://tienda.example/', description: '', cursor: 0 };
    await new WebhookStore(mongo).add({ ...receiver, setBy: { username } }, 'whsec_x');
  },
};
