import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, call } from '../helpers/client.ts';
import { JWT_SECRET, startServices } from '../helpers/services.ts';

let system: Awaited<ReturnType<typeof startServices>>;
beforeAll(async () => {
  system = await startServices();
});
afterAll(() => system.close());

const login = (headers: Record<string, string>, body?: string) =>
  call(`${system.url}/api/auth/login`, { method: 'POST', headers, ...(body !== undefined && { body }) });

describe('POST /api/auth/login', () => {
  it('gives a bearer token of an hour', async () => {
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

  it.each([
    ['no headers', {}],
    ['no password', { 'x-username': 'demo' }],
    ['no user', { 'x-password': 'demo1234' }],
    ['an empty password', { 'x-username': 'demo', 'x-password': '' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await login(headers);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      response: 'ERROR',
      message: 'Se requieren los headers X-Username y X-Password',
    });
  });

  it.each([
    ['a wrong password', { 'x-username': 'demo', 'x-password': 'demo12345' }],
    ['an unknown user', { 'x-username': 'nadie', 'x-password': 'demo1234' }],
    ['query operators', { 'x-username': '{"$gt":""}', 'x-password': '{"$gt":""}' }],
  ])('refuses %s', async (_, headers) => {
    const { status, body } = await login(headers);
    expect(status).toBe(401);
    expect(body.message).toBe('Usuario o contrasena incorrectos');
  });

  it.each([
    ['empty', ''],
    ['broken', '{"a":'],
    ['an array', '[]'],
  ])('ignores a JSON body that is %s', async (_, body) => {
    const headers = { 'x-username': 'demo', 'x-password': 'demo1234', 'content-type': 'application/json' };
    expect((await login(headers, body)).status).toBe(200);
  });
});

describe('a bearer token', () => {
  const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = (header: object, claims: object, secret = JWT_SECRET, hash = 'sha256') => {
    const content = `${base64url(header)}.${base64url(claims)}`;
    return `${content}.${createHmac(hash, secret).update(content).digest('base64url')}`;
  };
  const now = Math.floor(Date.now() / 1000);
  const good = { sub: 'demo', iss: 'shipping-guides', iat: now, exp: now + 60 };
  const HS256 = { alg: 'HS256', typ: 'JWT' };
  const ask = (authorization?: string) =>
    call(`${system.url}/api/guias/etiqueta/1`, { headers: authorization ? { authorization } : {} });

  it('of ours is let through', async () => {
    expect((await ask(`Bearer ${token(HS256, good)}`)).body.message).toBe('Guia no encontrada');
  });

  it('that has expired is told apart', async () => {
    const { status, body } = await ask(`Bearer ${token(HS256, { ...good, iat: now - 120, exp: now - 60 })}`);
    expect(status).toBe(401);
    expect(body.message).toBe('Token expirado');
  });

  it.each([
    ['is absent', undefined],
    ['is not one', 'Bearer abc'],
    ['comes with another scheme', 'Basic ZGVtbzpkZW1vMTIzNA=='],
    ['has another signature', `Bearer ${token(HS256, good, 'x'.repeat(32))}`],
    [
      'has expired and another signature',
      `Bearer ${token(HS256, { ...good, exp: now - 60 }, 'x'.repeat(32))}`,
    ],
    ['is unsigned', `Bearer ${base64url({ alg: 'none' })}.${base64url(good)}.`],
    ['is signed by HS512', `Bearer ${token({ alg: 'HS512' }, good, JWT_SECRET, 'sha512')}`],
    ['comes from another issuer', `Bearer ${token(HS256, { ...good, iss: 'other' })}`],
    ['never expires', `Bearer ${token(HS256, { sub: 'demo', iss: 'shipping-guides', iat: now })}`],
    ['names an unknown user', `Bearer ${token(HS256, { ...good, sub: 'nadie' })}`],
  ])('that %s is refused', async (_, authorization) => {
    const { status, headers, body } = await ask(authorization);
    expect(status).toBe(401);
    expect(body.message).toBe('Acceso denegado');
    expect(headers.get('www-authenticate')).toBe('Bearer');
  });

  it('without the permission gets 403', async () => {
    const reader = await Client.login(system.url, 'lectura');
    const { status, body } = await reader.create([]);
    expect(status).toBe(403);
    expect(body.message).toBe('No tiene permiso para realizar esta accion');
  });
});
