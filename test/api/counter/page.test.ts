import { gunzipSync } from 'node:zlib';
import { describe, expect } from 'vitest';
import { readBuiltFiles } from '#services/api/http/built-files.ts';
import { test } from '#test/fixtures/services.ts';

/** What is served at `/mostrador`, as a browser gets it before it runs anything. */

const LOADED_FIRST = /(?:src|href)="(\/mostrador\/[^"]+)"/g;

describe('the counter', () => {
  test('is a page without data, which may call this service and nothing else', async ({ api }) => {
    const response = await fetch(`${api.url}/mostrador`);
    const policy = new Map(
      response.headers
        .get('content-security-policy')
        ?.split('; ')
        .map((directive) => directive.split(/ (.*)/, 2) as [string, string]),
    );
    expect(Object.fromEntries(policy)).toEqual({
      ...{ 'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'", 'connect-src': "'self'" },
      ...{ 'img-src': 'blob: data:', 'frame-src': 'blob:', 'worker-src': "'self'" },
      ...{ 'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'" },
      'require-trusted-types-for': "'script'",
    });
    expect(response.headers.get('cache-control')).toBe('no-cache');
    expect(response.headers.get('x-robots-tag')).toBe('noindex');
    expect(await response.text()).toContain('<div id="mostrador"');
  });

  test('loads less than 100 kB before it is shown, in files that browsers keep for good', async ({ api }) => {
    const html = await (await fetch(`${api.url}/mostrador`)).text();
    const files = readBuiltFiles('counter');
    // What `main` imports at once is loaded with it; tabs come by `import()`.
    const loaded = new Set([...html.matchAll(LOADED_FIRST)].map(([, path = '']) => path));
    for (const path of loaded) {
      const text = String(files.get(path.replace('/mostrador/', '')));
      for (const [, name] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) loaded.add(`/mostrador/${name}`);
    }
    expect(loaded.size).toBeGreaterThan(1);
    let bytes = html.length;
    for (const path of loaded) {
      const { status, headers } = await fetch(api.url + path);
      expect([path, status, headers.get('content-encoding')]).toEqual([path, 200, 'gzip']);
      expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(headers.get('vary')).toContain('Accept-Encoding');
      bytes += files.get(`${path.replace('/mostrador/', '')}.gz`)?.length ?? Number.NaN;
    }
    expect(bytes).toBeLessThan(100_000);
  });

  test('has each file also for clients that do not decompress', async ({ api }) => {
    for (const [name, content] of readBuiltFiles('counter')) {
      if (name.endsWith('.gz')) continue;
      const response = await fetch(`${api.url}/mostrador/${name}`, {
        headers: { 'accept-encoding': 'identity' },
      });
      expect([name, response.headers.get('content-encoding')]).toEqual([name, null]);
      expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
      expect(gunzipSync(readBuiltFiles('counter').get(`${name}.gz`) as Buffer).equals(content)).toBe(true);
    }
  });

  test('has the licences of the packages that are in its program', async ({ api }) => {
    const text = await (await fetch(`${api.url}/mostrador/licencias.txt`)).text();
    expect(text).toMatch(/^preact [\d.]+, MIT\n[\s\S]*Permission is hereby granted/m);
  });

  test('has nothing below it but its files', async ({ api }) => {
    for (const path of ['mostrador/no-hay.js', 'mostrador/..%2fbuild.ts', 'mostrador/main.js']) {
      expect((await fetch(`${api.url}/${path}`)).status).toBe(404);
    }
  });
});

test('what is not built is said with the command that builds it', () => {
  expect(() => readBuiltFiles('none')).toThrow('npm run build makes it');
});
