import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkout } from '../dockerfile.ts';

/** What Node would drop: imports that name types alone. */
const TYPES_ONLY = /^(?:import|export) type .*?;$/gms;
/** Static and dynamic imports, and the transport that Pino loads by its name. */
const SPECIFIER = /\b(?:from |import |import\(|target: )'([\w@#./:-]+)'/g;

/**
 * Returns every file that runs when `entries` do, by its path in the checkout, and every package that one of these
 * files imports.
 */
export function runtimeImports(entries: string[]): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string) => {
    if (files.has(path)) return;
    files.add(path);
    const text = readFileSync(join(checkout, path), 'utf8').replaceAll(TYPES_ONLY, '');
    for (const [, name = ''] of text.matchAll(SPECIFIER)) {
      if (name.startsWith('.')) visit(join(dirname(path), name));
      else if (name.startsWith('#')) visit(name.slice(1));
      else if (!name.startsWith('node:')) packages.add(name.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? name);
    }
  };
  entries.forEach(visit);
  return { files, packages };
}
