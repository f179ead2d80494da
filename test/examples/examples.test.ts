import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { codeBlocks } from '#test/api/manual/code-blocks.ts';
import { readLabel } from '#test/fixtures/labels/label-pixels.ts';
import { test } from './example.ts';
import { expectReceives, newCases, PROGRAMS, SECRET } from './webhooks.ts';

const EXAMPLES = readdirSync(PROGRAMS).filter((name) => /^[^.]+\.(?!md$)/.test(name));

/** Tells whether this machine has the language of an example; test/vitest.config.ts says which ones are missing. */
const isThere = ([program]: readonly [program: string, ...unknown[]]) =>
  program === process.execPath || findProgram(program) !== undefined;

const CLIENTS = [
  ['sh', 'curl.sh'],
  [process.execPath, 'node.mjs'],
  ['php', 'php.php'],
  ['python3', 'python.py'],
] as const;

test.for(CLIENTS.filter(isThere))(
  '%s: examples/%s creates guides once and prints them, though answers are lost',
  ([program, example], { run }) => run(program, example),
);

/** What each language is called in the guide. */
const FIRST = [
  ['sh', 'primera.sh', 'sh'],
  [process.execPath, 'primera.mjs', 'js'],
  ['php', 'primera.php', 'php'],
  ['python3', 'primera.py', 'python'],
] as const;

test.for(FIRST.filter(isThere))(
  '%s: the guide begins with what examples/%s does: as it stands, it creates a guide and prints its label',
  async ([program, example, language], { api, folder }) => {
    const page = await (await fetch(`${api.url}/api/docs`)).text();
    const blocks = codeBlocks(page, language);
    expect(blocks).toHaveLength(3);
    const file = join(folder, example);
    await writeFile(file, `${language === 'php' ? '<?php\n' : ''}${blocks.join('\n')}`);
    const { stdout } = await promisify(execFile)(program, [file], { cwd: folder, timeout: 60_000 });
    const [label] = await readLabel(await readFile(join(folder, 'guia.pdf')));
    expect(label?.code128).toEqual([JSON.parse(stdout).data[0].SEND_GUIA]);
    await rm(join(folder, 'guia.pdf'));
  },
);

test('README.md begins with commands that create a guide with a price and print its label, and shows the answer', async ({
  api,
  demo,
  folder,
}) => {
  const readme = readFileSync(join(repoRoot, 'README.md'), 'utf8');
  const commands = /^```sh\n(TOKEN=[\s\S]*?)^```/m.exec(readme)?.[1] ?? '';
  const own = `${commands.replaceAll('http://127.0.0.1:3000', api.url)}\necho "$GUIA"`;
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', own], { cwd: folder, timeout: 60_000 });
  const guide = stdout.trim();
  const [label] = await readLabel(await readFile(join(folder, 'guia.pdf')));
  expect(label?.code128).toEqual([guide]);
  const [created] = (await demo.get('/api/guias?limite=1')).body.data as object[];
  const [shown] = JSON.parse(/^\{"response":.*$/m.exec(readme)?.[0] ?? '').data;
  const { SEND_FECHA } = created as { SEND_FECHA: string };
  expect(created).toMatchObject({ ...shown, SEND_GUIA: guide, SEND_FECHA });
});

test('examples/README.md makes a key for them', async ({ api }) => {
  const page = readFileSync(join(repoRoot, 'examples/README.md'), 'utf8');
  const block = page.split(/^```(?:sh)?$/m).find((each) => each.includes('export LLAVE=')) ?? '';
  const commands = `${block.replace('http://127.0.0.1:3000', api.url)}\necho "$LLAVE"`;
  const { stdout } = await promisify(execFile)('sh', ['-eu', '-c', commands]);
  expect(stdout.trim()).toMatch(/^gk_live_[\w-]+$/);
});

const RECEIVERS: [program: string, example: string, options?: (port: number) => string[]][] = [
  [process.execPath, 'webhook.mjs'],
  ['php', 'webhook.php', (port) => ['-S', `127.0.0.1:${port}`]],
  ['python3', 'webhook.py'],
];

test.for(RECEIVERS.filter(isThere))(
  '%s: examples/%s takes messages that are authentic and each event once, and outlives errors',
  async ([program, example, options], { folder }) => {
    const kept = join(folder, example);
    await expectReceives((port) => [program, ...(options?.(port) ?? []), example], kept);
  },
);

test('every example is run', () => {
  const run = [...CLIENTS, ...FIRST, ...RECEIVERS].map(([, example]) => example);
  expect([...run, 'webhook.sh'].toSorted()).toEqual(EXAMPLES.toSorted());
});

test('examples/webhook.sh knows messages that are authentic', () => {
  for (const [name, headers, input, authentic] of newCases()) {
    const env = {
      ...process.env,
      SECRETO: SECRET,
      ID: headers['webhook-id'] ?? '',
      HORA: headers['webhook-timestamp'] ?? '0',
      FIRMAS: headers['webhook-signature'] ?? '',
    };
    const { status } = spawnSync('sh', [join(PROGRAMS, 'webhook.sh')], { env, input });
    expect([name, status]).toEqual([name, authentic ? 0 : 1]);
  }
});
