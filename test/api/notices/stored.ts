import { randomUUID } from 'node:crypto';
import { NoticeAccounts } from '#services/api/notices/account-store.ts';
import { NoticeStore } from '#services/api/notices/notice-store.ts';
import { NOTICE_REFUSALS } from '#shared/notices/notice-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { minimalGuide } from '#test/fixtures/client.ts';
import type { Stored } from '#test/fixtures/stored.ts';

export const stored: Stored = {
  async byClient(client, mongo) {
    const { body } = await client.get('/api/auth/validate');
    const { usuario: username, cuenta: account } = body.data as { usuario: string; cuenta: string };
    await new NoticeAccounts(mongo).choose(account, { active: true, states: ['Entregado'] }, username, 0);
    const [{ SEND_GUIA: guide } = { SEND_GUIA: '' }] = await client.created(minimalGuide());
    const notice = { guide, event: randomUUID(), state: 'Entregado', occurred: new Date() } as const;
    await new NoticeStore(mongo).add(account, [notice], 1);
    await modelOf(mongo, NOTICE_REFUSALS).create({ _id: randomUUID(), at: new Date() });
  },
};
