import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { SecretsDocument } from '#shared/webhooks/webhook-model.ts';
import { newSecret, type SecretKeys } from '#shared/webhooks/webhook-secrets.ts';
import { WebhookStore } from '#shared/webhooks/webhook-store.ts';
import { test as storesTest } from '#test/fixtures/stores.ts';

/** What signs messages: encrypted for its webhook alone, by keys that are rotated. */

const [FIRST, SECOND] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
const first: SecretKeys = { WEBHOOK_SECRETS_KEY: FIRST };

const test = storesTest
  .extend('documents', { scope: 'file' }, ({ stores }) =>
    stores.mongo.collection<SecretsDocument>('webhookSecrets'),
  )
  /** The secrets as a process with these settings sees them. */
  .extend('secretsOf', async ({ stores, documents }) => {
    await documents.deleteMany({});
    return (keys: SecretKeys) => new WebhookStore(stores.mongo, keys).secrets;
  })
  .extend('stored', ({ documents }) => async () => {
    const all = await documents.find().sort({ _id: 1 }).toArray();
    return JSON.stringify(all);
  });

test('are not in the database as they are, nor in a field that a sender of 1.4 signs with', async ({
  secretsOf,
  documents,
  stored,
}) => {
  const secrets = secretsOf(first);
  const [one, other] = [newSecret(), newSecret()];
  await secrets.insert('w1', one);
  expect(await secrets.add('w1', other)).toBe(true);
  expect(await secrets.of('w1')).toEqual([other, one]);
  expect(await stored()).not.toMatch(/whsec_/);
  for (const each of (await documents.findOne({ _id: 'w1' }))?.secrets ?? [])
    expect(each).not.toHaveProperty('value');
});

test('are those of their webhook alone, and unaltered', async ({ secretsOf, documents }) => {
  const secrets = secretsOf(first);
  await secrets.insert('w1', newSecret());
  const own = (await documents.findOne({ _id: 'w1' })) as SecretsDocument;
  await documents.insertOne({ ...own, _id: 'w2' });
  await expect(secrets.of('w2')).rejects.toThrow("was altered, or is another webhook's");
  const [{ encrypted = '' } = {}] = own.secrets;
  const altered = `${encrypted.slice(0, -2)}${encrypted.endsWith('AA') ? 'BB' : 'AA'}`;
  await documents.updateOne({ _id: 'w1' }, { $set: { 'secrets.0.encrypted': altered } });
  await expect(secrets.of('w1')).rejects.toThrow('was altered');
});

test('in clear text are read, and encrypted; keys are rotated, and taken away', async ({
  secretsOf,
  stored,
}) => {
  const all = [newSecret(), newSecret(), newSecret()];
  const clear = secretsOf({});
  for (const [i, secret] of all.entries()) await clear.insert(`w${i}`, secret);
  expect(await clear.countOutdated()).toBe(0);
  const everything = async (keys: SecretKeys) =>
    Promise.all(all.map(async (_, i) => (await secretsOf(keys).of(`w${i}`))[0]));
  const steps: SecretKeys[] = [
    first,
    { WEBHOOK_SECRETS_KEY: SECOND, WEBHOOK_SECRETS_KEY_PREVIOUS: FIRST },
    { WEBHOOK_SECRETS_KEY: SECOND },
    { WEBHOOK_SECRETS_KEY_PREVIOUS: SECOND }, // on the way back to a release without keys
  ];
  const outdated: number[] = [];
  for (const keys of steps) {
    expect(await everything(keys)).toEqual(all);
    outdated.push(await secretsOf(keys).countOutdated());
    expect(await secretsOf(keys).renewOutdated()).toBe(outdated.at(-1));
    expect(await secretsOf(keys).countOutdated()).toBe(0);
    expect(await everything(keys)).toEqual(all);
    expect(/whsec_/.test(await stored())).toBe(keys.WEBHOOK_SECRETS_KEY === undefined);
  }
  expect(outdated).toEqual([3, 3, 0, 3]);
});

test('of an unknown key are refused, and keep no other from its new key', async ({ secretsOf }) => {
  await secretsOf(first).insert('w1', newSecret());
  await secretsOf({}).insert('w2', newSecret());
  const second = secretsOf({ WEBHOOK_SECRETS_KEY: SECOND });
  const problem = 'which is neither WEBHOOK_SECRETS_KEY nor WEBHOOK_SECRETS_KEY_PREVIOUS';
  await expect(second.of('w1')).rejects.toThrow(problem);
  await expect(second.add('w1', newSecret())).rejects.toThrow(problem);
  await expect(second.renewOutdated()).rejects.toThrow(problem);
  expect(await second.countOutdated()).toBe(1);
});

test('that are added while others get a new key are not lost', async ({ secretsOf }) => {
  const [former, next] = [
    secretsOf(first),
    secretsOf({ WEBHOOK_SECRETS_KEY: SECOND, WEBHOOK_SECRETS_KEY_PREVIOUS: FIRST }),
  ];
  const both = secretsOf({ WEBHOOK_SECRETS_KEY: FIRST, WEBHOOK_SECRETS_KEY_PREVIOUS: SECOND });
  for (let round = 0; round < 10; round++) {
    const [old, added] = [newSecret(), newSecret()];
    await former.insert(`w${round}`, old);
    await Promise.all([both.add(`w${round}`, added), next.renewOutdated()]);
    expect(await both.of(`w${round}`)).toEqual([added, old]);
    await next.renewOutdated();
    expect(await next.countOutdated()).toBe(0);
    expect(await secretsOf({ WEBHOOK_SECRETS_KEY: SECOND }).of(`w${round}`)).toEqual([added, old]);
  }
});
