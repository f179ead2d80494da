import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LABEL_KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import { TEMPLATE_VERSION } from '#shared/printing/label-job.ts';
import { documentOf, ofEachPrint, type PrintKind } from '#shared/printing/print-kinds.ts';
import { compileTemplate, type LabelTemplate, TemplateError } from './template-files/compile-template.ts';

export type LabelTemplates = Readonly<Record<PrintKind, LabelTemplate>>;

export const OUR_FOLDER = join(import.meta.dirname, 'templates');

export const OUR_TEMPLATES: LabelTemplates = ofEachPrint((kind) => {
  const path = documentOf(kind)?.template ?? join(OUR_FOLDER, `${kind}.hbs`);
  const source = readFileSync(path, 'utf8');
  return compileTemplate({ file: `${kind}.hbs`, source, version: TEMPLATE_VERSION, kind, isOurs: true });
});

/**
 * Returns the operator's templates of a folder (docs/labels.md "Templates of your own"), and ours of the other kinds and
 * of documents.
 * @throws TemplateError
 */
export function loadTemplates(folder: string | undefined): LabelTemplates {
  if (!folder) return OUR_TEMPLATES;
  const own = templateNames(folder).map((name) => readTemplate(folder, name));
  return { ...OUR_TEMPLATES, ...Object.fromEntries(own) };
}

/**
 * Skips names that begin with a dot: Kubernetes keeps the files of a ConfigMap behind such a name.
 * @throws TemplateError for an empty folder.
 */
export function templateNames(folder: string): string[] {
  const names = reading(folder, () => readdirSync(folder)).filter((name) => !name.startsWith('.'));
  if (names.length === 0) throw new TemplateError(folder, undefined, 'this folder has no template');
  return names;
}

/** @throws TemplateError */
export function readTemplate(folder: string, name: string): [kind: LabelKind, template: LabelTemplate] {
  const file = join(folder, name);
  const kind = LABEL_KINDS.find((known) => name === `${known}.hbs`);
  if (!kind) {
    const known = LABEL_KINDS.map((each) => `${each}.hbs`).join(', ');
    throw new TemplateError(file, undefined, `this is not the name of a template; those are ${known}`);
  }
  const bytes = reading(file, () => readFileSync(file));
  if (!isUtf8(bytes)) throw new TemplateError(file, undefined, 'this is not in UTF-8');
  const source = bytes.toString('utf8').replace(/^\uFEFF/, ''); // editors on Windows write a byte order mark
  // The version depends on the file's content, and on our helpers' version.
  const hash = createHash('sha256').update(source).digest('base64url').slice(0, 16);
  return [
    kind,
    compileTemplate({ file, source, version: `${TEMPLATE_VERSION}-${hash}`, kind, isOurs: false }),
  ];
}

function reading<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new TemplateError(
      path,
      undefined,
      `this cannot be read: ${(cause as NodeJS.ErrnoException).code}`,
      { cause },
    );
  }
}
