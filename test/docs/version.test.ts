import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';

const read = (file: string) => readFileSync(join(repoRoot, file), 'utf8');
const { version } = JSON.parse(read('package.json'));

it('is one: of every package, of the images that are deployed, and the newest of the changelog', () => {
  const packages = ['shared/package.json', ...globSync('services/*/package.json', { cwd: repoRoot })];
  const overlays = globSync('k8s/*/kustomization.yaml', { cwd: repoRoot }).map(read).join('\n');
  const tags = [...overlays.matchAll(/newTag: ([\d.]+)/g)].map(([, tag]) => tag);
  const newest = /^## \[(\d[\d.]*)\]/m.exec(read('CHANGELOG.md'))?.[1];
  expect(tags).not.toEqual([]);
  expect([...packages.map((file) => JSON.parse(read(file)).version), ...tags, newest]).toEqual(
    [...packages, ...tags, 'CHANGELOG.md'].map(() => version),
  );
});
