import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repoRoot } from '#local/folders.ts';
import { SETTINGS } from './settings.ts';

/** `UPDATE_DOCS=1 npm test -- test/ops/operations` writes the table anew. */
const PAGE = join(repoRoot, 'k8s', 'operations.md');
const TABLE = /(?<=<!-- settings -->\n)[\s\S]*(?=<!-- end -->)/;
const page = readFileSync(PAGE, 'utf8');

type Setting = {
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  writeOnly?: boolean;
};

describe('the operations page', () => {
  it('has every setting of every service, as their schemas say', () => {
    const table = settingsTable();
    if (process.env.UPDATE_DOCS)
      writeFileSync(
        PAGE,
        page.replace(TABLE, () => table),
      );
    else expect(TABLE.exec(page)?.[0]).toBe(table);
  });
});

function settingsTable(): string {
  const uses = Object.entries(SETTINGS).flatMap(([service, { properties, required }]) =>
    Object.entries(properties as Record<string, Setting>).map(([name, setting]) => {
      const needed = required?.includes(name) && setting.default === undefined;
      return { name, service, setting, standard: needed ? 'required' : standard(setting) };
    }),
  );
  const rows = [...Map.groupBy(uses, ({ name }) => name)].map(([name, all]) => {
    const standards = new Set(all.map((use) => use.standard));
    const own = ({ service, standard }: (typeof all)[number]) => `${service} ${standard}`;
    const setting = all[0]?.setting ?? {};
    return [
      `\`${name}\``,
      all.length === Object.keys(SETTINGS).length ? 'all' : all.map(({ service }) => service).join(', '),
      (standards.size === 1 ? [...standards] : all.map(own)).join(', ') +
        (setting.writeOnly ? ', secret' : ''),
      meaning(setting),
    ];
  });
  const lines = [['variable', 'services', 'default', 'meaning'], ['---', '---', '---', '---'], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function standard({ default: value }: Setting): string {
  return value === undefined || value === '' ? 'none' : `\`${value}\``;
}

function meaning(setting: Setting): string {
  const { description, enum: values, default: value, examples: [example] = [] } = setting;
  const sentences = [
    description,
    values ? `One of ${values.join(', ')}` : range(setting),
    example !== undefined && example !== value && `Example: \`${example}\``,
  ];
  return sentences
    .filter(Boolean)
    .map((sentence) => `${sentence}.`)
    .join(' ')
    .replaceAll('|', '\\|');
}

function range({ minimum = 0, maximum }: Setting): string | undefined {
  if (maximum !== undefined) return `From ${minimum} to ${maximum}`;
  return minimum > 0 ? `At least ${minimum}` : undefined;
}
