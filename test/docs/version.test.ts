import { execFileSync } from 'node:child_process';
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

it('has notes in the changelog, which a release takes from there', () => {
  const notes = (of: string) =>
    execFileSync('sh', [join(repoRoot, '.github/release-notes.sh'), of], { encoding: 'utf8', stdio: 'pipe' });
  expect(notes(version)).toMatch(/^- /m);
  expect(notes(version)).not.toMatch(/^## /m);
  expect(() => notes('0.0.1')).toThrow('CHANGELOG.md says nothing of 0.0.1.');
});
