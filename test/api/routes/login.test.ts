import { describe, expect } from 'vitest';
import { call } from '#test/fixtures/client.ts';
import { test as services } from '#test/fixtures/services.ts';

const test = services.extend(
  'login',
  { scope: 'file' },
  ({ api }) =>
    (headers: Record<string, string>, body?: string) =>
      call(`${api.url}/api/auth/login`, { method: 'POST', headers, ...(body !== undefined && { body }) }),
);

describe('POST /api/auth/login', () => {
  test('returns a bearer token that is valid for an hour', async ({ login }) => {
    const { status, body } = await login({ 'x-username': 'demo', 'x-password': 'demo1234' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      response: 'OK',
      message: 'Login exitoso',
      data: { token_type: 'Bearer', expires_in: 3600 },
    });
    const [, claims = ''] = (body.data as { access_token: string }).access_token.split('.');
    const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    expect(rest).toEqual({ sub: 'demo', iss: 'shipping-guides' });
    expect(exp - iat).toBe(3600);
  });

  test.for([
    ['no headers', {}],
    ['no password', { 'x-username': 'demo' }],
    ['no user', { 'x-password': 'demo1234' }],
    ['an empty password', { 'x-username': 'demo', 'x-password': '' }],
  ] as const)('refuses %s', async ([_, headers], { login }) => {
    const { status, body } = await login(headers);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      response: 'ERROR',
      message: 'Se requieren los headers X-Username y X-Password',
    });
  });

  test.for([
    ['a wrong password', { 'x-username': 'demo', 'x-password': 'demo12345' }],
    ['an unknown user', { 'x-username': 'nadie', 'x-password': 'demo1234' }],
    ['query operators', { 'x-username': '{"$gt":""}', 'x-password': '{"$gt":""}' }],
  ] as const)('refuses %s', async ([_, headers], { login }) => {
    const { status, body } = await login(headers);
    expect(status).toBe(401);
    expect(body.message).toBe('Usuario o contrasena incorrectos');
  });

  test.for([
    ['empty', ''],
    ['broken', '{"a":'],
    ['an array', '[]'],
  ] as const)('ignores a JSON body that is %s', async ([_, body], { login }) => {
    const headers = { 'x-username': 'demo', 'x-password': 'demo1234', 'content-type': 'application/json' };
    expect((await login(headers, body)).status).toBe(200);
  });
});
