import { expect, test } from 'vitest';
import {
  differences,
  fingerprintsOf,
  type Process,
  requireSameSecrets,
} from '#shared/stores/shared-settings.ts';
import { SECRETS } from '#test/ops/settings.ts';

let started = 0;

/** Returns a process that started after those of former calls. */
function begin(service: Process['service'], config: Record<string, string>): Process {
  started += 1;
  const settings = fingerprintsOf(config);
  return { id: `${service}-${started}`, host: 'host', pid: started, startedAt: started, service, settings };
}

test('an api may be the first that has an optional secret', () => {
  const webhooks = begin('webhooks', { WEBHOOK_SECRETS_KEY: 'key' });
  const apis = [begin('api', {}), begin('api', {})];
  requireSameSecrets(begin('api', { WEBHOOK_SECRETS_KEY: 'key' }), [webhooks, ...apis]);
});

test.for([
  { name: 'another one', config: { WEBHOOK_SECRETS_KEY: 'other' } },
  { name: 'none', config: {} },
  { name: 'another one than the former one', config: { WEBHOOK_SECRETS_KEY_PREVIOUS: 'other' } },
])('an api must know the optional secret that the others have, and not $name', ({ config }) => {
  const others = [
    begin('webhooks', { WEBHOOK_SECRETS_KEY: 'key' }),
    begin('api', { WEBHOOK_SECRETS_KEY: 'key' }),
    begin('api', { WEBHOOK_SECRETS_KEY: 'key' }),
  ];
  expect(() => requireSameSecrets(begin('api', config), others)).toThrow('WEBHOOK_SECRETS_KEY is not');
});

test('a secret that was overwritten is refused while most have the former one, and taken once those are gone', () => {
  const former = { INTERNAL_TOKEN: 'old', JWT_SECRET: 'old' };
  const old = [begin('branches', former), begin('api', former), begin('api', former)];
  const changed = { INTERNAL_TOKEN: 'new', JWT_SECRET: 'new' };
  const branches = begin('branches', changed);
  const api = begin('api', changed);
  const both = [branches, api];
  expect(() => requireSameSecrets(branches, [...old, ...both])).toThrow(
    'INTERNAL_TOKEN is not that of 2 of 2 processes',
  );
  expect(() => requireSameSecrets(api, [...old, ...both])).toThrow(
    'JWT_SECRET is not that of 2 of 2 processes',
  );
  for (const each of both) requireSameSecrets(each, both);
});

/** Who must have the same value, by setting. The first two services have it, the last one another. */
test.for<[setting: string, ...services: Process['service'][]]>([
  ['JWT_SECRET', 'api', 'api', 'api'],
  ['INTERNAL_TOKEN', 'api', 'api', 'branches'],
  ['INTERNAL_TOKEN', 'api', 'api', 'webhooks'],
  ['INTERNAL_TOKEN', 'branches', 'webhooks', 'api'],
  ['WEBHOOK_SECRETS_KEY', 'api', 'api', 'webhooks'],
  ['WEBHOOK_SECRETS_KEY', 'api', 'webhooks', 'api'],
  ['TIME_ZONE', 'api', 'api', 'dashboard'],
  ['TIME_ZONE', 'api', 'dashboard', 'api'],
  ['MONGODB_URI', 'api', 'branches', 'webhooks'],
  ['MONGODB_URI', 'webhooks', 'api', 'branches'],
  ['MONGODB_URI', 'branches', 'webhooks', 'dashboard'],
  ['CELL', 'api', 'webhooks', 'dashboard'],
  ['CELL', 'api', 'dashboard', 'webhooks'],
  ['WEBHOOKS_ALLOW_NETWORKS', 'webhooks', 'webhooks', 'api'],
  ['PUBLIC_URL', 'api', 'api', 'api'],
])('of %s, %s and %s have one value: %s with another one is named', ([setting, ...services]) => {
  const textOf = (name: string) => (setting === 'MONGODB_URI' ? `mongodb://host/${name}` : name);
  const processes = services.map((service, i) =>
    begin(service, { [setting]: textOf(i < 2 ? 'same' : 'other') }),
  );
  expect(differences(processes)).toMatchObject([{ setting, odd: { id: processes[2]?.id } }]);
  expect(differences(processes.slice(0, 2))).toEqual([]);
});

test('services that do not share a secret may each have their own', () => {
  const alone = { INTERNAL_TOKEN: 'own' };
  expect(differences([begin('branches', alone), begin('webhooks', { INTERNAL_TOKEN: 'other' })])).toEqual([]);
});

test('an api without a PUBLIC_URL differs from those that have one, and gets ready', () => {
  const others = ['a', 'b'].map(() => begin('api', { PUBLIC_URL: 'https://guias.example' }));
  const own = begin('api', {});
  expect(differences([...others, own, begin('branches', {})])).toMatchObject([
    { setting: 'PUBLIC_URL', isSecret: false, odd: { id: own.id } },
  ]);
  requireSameSecrets(own, others);
});

test.for([
  ['redis://host', 'rediss://api:secret@host:6379/0', true],
  ['redis://host:6380/1', 'redis://dashboard:other@host:6380/1', true],
  ['redis://host', 'redis://other', false],
  ['redis://host:6379', 'redis://host:6380', false],
  ['redis://host/0', 'redis://host/1', false],
  ['redis+sentinel://a,b/labels', 'redis+sentinel://api:secret@b:26379,a/labels', true],
  ['redis+sentinel://a,b/labels', 'redis+sentinel://a,b/queue', false],
] as const)('label caches at %s and %s are the same: %s', ([one, other, same]) => {
  const api = begin('api', { LABEL_CACHE_URL: one });
  for (const service of ['api', 'dashboard'] as const) {
    const found = differences([api, begin(service, { LABEL_CACHE_URL: other })]);
    expect(found.map(({ setting }) => setting)).toEqual(same ? [] : ['LABEL_CACHE_URL']);
  }
  const former = begin('api', {});
  expect(differences([api, { ...former, settings: {} }])).toEqual([]); // of a release that did not tell them
});

/** Addresses with the password of one service, secrets of one, and former values, which the rules name. */
const MAY_DIFFER = ['REDIS_URL', 'WEBHOOKS_PROXY_LOGIN', 'CANARY_KEY', 'CANARY_PASSWORD'].concat(
  ['JWT_SECRET', 'INTERNAL_TOKEN', 'WEBHOOK_SECRETS_KEY'].map((name) => `${name}_PREVIOUS`),
);

test('each secret must be the same in all processes, or is known to differ', () => {
  const undecided = SECRETS.filter((name) => !fingerprintsOf({ [name]: 'redis://host' })[name]?.[0]);
  expect(new Set(undecided), 'give a new one a Rule in shared-settings.ts').toEqual(new Set(MAY_DIFFER));
});
