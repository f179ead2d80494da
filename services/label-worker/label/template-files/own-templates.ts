import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { type LabelPayload, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { compileTemplate, type LabelTemplate } from './compile-template.ts';
import { TemplateError } from './template-error.ts';

type Kind = LabelPayload['kind'];

/** Largest file of a template: all of them together fit into a ConfigMap, which holds 1 MiB. */
const MAX_BYTES = 256 * 1_024;

/**
 * Reads and compiles the templates of a folder: `<kind>.hbs` of one kind or more, and nothing else. Names that begin with
 * a dot are skipped: Kubernetes keeps the files of a ConfigMap behind such a name.
 *
 * @throws TemplateError
 */
export function readOwnTemplates(folder: string): Partial<Record<Kind, LabelTemplate>> {
  const names = listed(folder).filter((name) => !name.startsWith('.'));
  if (names.length === 0) throw new TemplateError(folder, undefined, 'this folder has no template');
  return Object.fromEntries(names.map((name) => readOwnTemplate(folder, name)));
}

/** Reads and compiles one file of such a folder. @throws TemplateError */
export function readOwnTemplate(folder: string, name: string): [kind: Kind, template: LabelTemplate] {
  const file = join(folder, name);
  const kind = LABEL_KINDS.find((known) => name === `${known}.hbs`);
  if (!kind) {
    const known = LABEL_KINDS.map((each) => `${each}.hbs`).join(', ');
    throw new TemplateError(file, undefined, `this is no name of a template; those are ${known}`);
  }
  const source = read(folder, file);
  return [kind, compileTemplate({ file, source, version: versionOf(source), styledAs: kind })];
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new TemplateError(folder, undefined, 'this folder cannot be read', { cause });
  }
}

function read(folder: string, file: string): string {
  // A link, as each file of a ConfigMap is one, leads to a place in the folder.
  if (!realpathSync(file).startsWith(realpathSync(folder) + sep))
    throw new TemplateError(file, undefined, 'this link leads out of the folder');
  if (!statSync(file).isFile()) throw new TemplateError(file, undefined, 'this is no file');
  const { size } = statSync(file);
  if (size > MAX_BYTES)
    throw new TemplateError(file, undefined, `this file has ${size} bytes, more than ${MAX_BYTES}`);
  return readFileSync(file, 'utf8');
}

/** Follows the file's content, and our helpers', whose changes have a version of their own. */
function versionOf(source: string): string {
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 16);
  return `${TEMPLATE_VERSION}-${hash}`;
}
