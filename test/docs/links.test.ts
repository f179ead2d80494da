import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/** What people read and what they follow from there: links between pages, and sections that comments cite. */

const read = (file: string) => readFileSync(join(repoRoot, file), 'utf8');

const pages = repositoryFiles.filter((path) => path.endsWith('.md'));
const sources = repositoryFiles.filter((path) =>
  /^(services|shared|local|test|k8s)\/.*\.(ts|js|css|sh|ya?ml)$|^docker-compose\.yml$|Dockerfile$/.test(path),
);

describe('links between pages', () => {
  it.each(pages)('of %s lead somewhere', (page) => {
    const prose = read(page).replaceAll(/^```[\s\S]*?^```|`[^`\n]*`/gm, '');
    const links = prose.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g);
    const relative = [...links]
      .map(([, link, source]) => link ?? source ?? '')
      // Links of the guide for integrators lead to its pages (test/api/manual/browser.test.ts).
      .filter((link) => !/^(\w+:|\/api\/)/.test(link));
    expect(relative.filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('has every decision in the list of decisions', () => {
    const records = pages.filter((page) => page.startsWith('docs/decisions/0')).map((page) => basename(page));
    const list = read('docs/decisions/README.md');
    expect(records.length).toBeGreaterThan(5);
    expect(records.filter((record) => !list.includes(`](${record})`))).toEqual([]);
  });
});

describe('what pages name', () => {
  const codeOf = (page: string) => [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

  it.each(pages)('in %s is there: paths of the repository', (page) => {
    const ours = /^(?:services|shared|local|test|k8s|docs|examples)\/[\w./*-]+$/;
    const paths = codeOf(page).filter((code) => ours.test(code));
    expect(paths.filter((path) => globSync(path, { cwd: repoRoot }).length === 0)).toEqual([]);
  });

  it('in text and comments is there: sources', () => {
    const named = [...pages, ...sources].flatMap((file) =>
      [...read(file).matchAll(/`(\w[\w./-]*\.ts)`/g)].map(([, name = '']) => ({ file, name })),
    );
    expect(named.length).toBeGreaterThan(50);
    const isThere = (name: string) => repositoryFiles.some((path) => `/${path}`.endsWith(`/${name}`));
    expect(named.filter(({ name }) => !isThere(name))).toEqual([]);
  });

  it.each(pages)('in %s is there: commands of npm', (page) => {
    const { scripts } = JSON.parse(read('package.json'));
    const named = [...read(page).matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('pages that are cited', () => {
  const cited = [...pages, ...sources].flatMap(citations);

  it('are there, with the section', () => {
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter(({ page, section }) => !hasSection(page, section))).toEqual([]);
  });
});

type Citation = { file: string; page: string; section: string | undefined };

/** The pages of `docs` that a file cites, with or without a section. A comment may break between the two. */
function citations(file: string): Citation[] {
  const text = read(file).replaceAll(/\n\s*(?:\*|\/\/|#)?\s*/g, ' ');
  const found = text.matchAll(/(?<![\w./-])(docs\/[\w/-]+\.md)(?: "([^"]+)")?/g);
  return [...found].map(([, page = '', section]) => ({ file, page, section }));
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path ? join(dirname(page), path) : page;
  if (!existsSync(join(repoRoot, target))) return false;
  return anchor === undefined || anchorsOf(target).includes(anchor);
}

function hasSection(page: string, section: string | undefined): boolean {
  if (!existsSync(join(repoRoot, page))) return false;
  return section === undefined || headingsOf(page).includes(section);
}

function headingsOf(page: string): string[] {
  const prose = read(page).replaceAll(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.trim());
}

/** Names that a forge gives to headings; the second of one name gets `-1`. */
function anchorsOf(page: string): string[] {
  const seen = new Map<string, number>();
  return headingsOf(page).map((heading) => {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before === 0 ? name : `${name}-${before}`;
  });
}
