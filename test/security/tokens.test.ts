import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto';
import { describe, expect } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import { JWT_SECRET, test as services } from '#test/fixtures/services.ts';

/** What is let in as a token, and what each refusal says. */

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const now = Math.floor(Date.now() / 1000);
const GOOD = { sub: 'demo', iss: 'shipping-guides', iat: now, exp: now + 3_600, gen: 0, jti: 'one' };
const HEADER = { alg: 'HS256', typ: 'JWT' };
const hmac = (hash: string, secret: string) => (content: string) =>
  createHmac(hash, secret).update(content).digest('base64url');

/** A token of ours, unless something of it is said to be another. */
function token(claims: object = GOOD, header: object = HEADER, sign = hmac('sha256', JWT_SECRET)): string {
  const content = `${base64url(header)}.${base64url(claims)}`;
  return `${content}.${sign(content)}`;
}
const without = (name: keyof typeof GOOD) => ({ ...GOOD, [name]: undefined });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKey = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
const unsigned = () => '';
const bySomebodyElse = hmac('sha256', 'another secret, but as long as ours is');

/** A route that asks only for a token, and says of a good one what no other answer says. */
const PATH = '/api/guias/etiqueta/1';
const LET_IN = [404, 'guia_no_encontrada'];
const DENIED = [401, 'acceso_denegado'];
const test = services
  /** A token as the api issued it. */
  .extend('issued', { scope: 'file' }, ({ demo }) => demo.token)
  .extend('ask', { scope: 'file' }, ({ api }) => async (headers: Record<string, string>) => {
    const { status, headers: answered, body } = await call(api.url + PATH, { headers });
    return { outcome: [status, body.codigo], challenge: answered.get('www-authenticate') };
  });

describe('a token of ours', () => {
  test.for([
    ['as it was issued', (issued: string) => `Bearer ${issued}`],
    ['made by hand', () => `Bearer ${token()}`],
    ['after "bearer"', (issued: string) => `bearer ${issued}`],
  ] as const)('%s is let in', async ([_, authorization], { ask, issued }) => {
    expect((await ask({ authorization: authorization(issued) })).outcome).toEqual(LET_IN);
  });

  test('of a process whose clock is two minutes ahead is let in', async ({ ask }) => {
    const ahead = { ...GOOD, iat: now + 120, exp: now + 720 };
    expect((await ask({ authorization: `Bearer ${token(ahead)}` })).outcome).toEqual(LET_IN);
  });

  test('that has expired has a message of its own, unless its signature is wrong', async ({ ask }) => {
    const old = { ...GOOD, iat: now - 120, exp: now - 60 };
    expect(await ask({ authorization: `Bearer ${token(old)}` })).toEqual({
      outcome: [401, 'token_expirado'],
      challenge: 'Bearer error="invalid_token"',
    });
    const others = token(old, HEADER, bySomebodyElse);
    expect((await ask({ authorization: `Bearer ${others}` })).outcome).toEqual(DENIED);
  });
});

describe('is refused: a token', () => {
  test.for([
    ['that is absent', ''],
    ['of another scheme', 'Basic ZGVtbzpkZW1vMTIzNA=='],
    ['of another secret', `Bearer ${token(GOOD, HEADER, bySomebodyElse)}`],
    [
      'whose claims were changed',
      `Bearer ${token().replace(/\..*\./, `.${base64url({ ...GOOD, sub: 'x' })}.`)}`,
    ],
    ['of algorithm "none" without a signature', `Bearer ${token(GOOD, { alg: 'none' }, unsigned)}`],
    [
      'of RS256, with the key in its own head',
      `Bearer ${token(GOOD, { alg: 'RS256', jwk: rsa.publicKey.export({ format: 'jwk' }) }, (content) =>
        signWith('sha256', Buffer.from(content), rsa.privateKey).toString('base64url'),
      )}`,
    ],
    ['of HS256 with a public key for secret', `Bearer ${token(GOOD, HEADER, hmac('sha256', publicKey))}`],
    ['of another issuer', `Bearer ${token({ ...GOOD, iss: 'other' })}`],
    ['that never expires', `Bearer ${token(without('exp'))}`],
    ['that is not valid yet', `Bearer ${token({ ...GOOD, nbf: now + 300 })}`],
    ['of a later generation than the user has', `Bearer ${token({ ...GOOD, gen: 1 })}`],
    ['of a user who is not there', `Bearer ${token({ ...GOOD, sub: 'nadie' })}`],
  ] as const)('%s', async ([_, authorization], { ask }) => {
    const answer = await ask(authorization ? { authorization } : {});
    expect(answer).toEqual({ outcome: DENIED, challenge: 'Bearer' });
  });

  test('of a user who is disabled', async ({ ask, stores }) => {
    await stores.mongo
      .collection<{ _id: string }>('users')
      .updateOne({ _id: 'otro' }, { $set: { disabled: true } });
    // Not asked for before, so nothing of it is remembered (`UserStore`).
    expect((await ask({ authorization: `Bearer ${token({ ...GOOD, sub: 'otro' })}` })).outcome).toEqual(
      DENIED,
    );
  });

  test('in the query or in a cookie', async ({ api, issued }) => {
    const query = await call(`${api.url}${PATH}?access_token=${issued}&token=${issued}`);
    const cookie = { cookie: `access_token=${issued}; token=${issued}` };
    for (const { status, body } of [query, await call(api.url + PATH, { headers: cookie })])
      expect([status, body.codigo]).toEqual(DENIED);
  });
});
