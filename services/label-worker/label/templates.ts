import { readFileSync } from 'node:fs';
import { type LabelPayload, TEMPLATE_VERSION } from '#shared/contracts/label-job.ts';
import { LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { compileTemplate, type LabelTemplate } from './template-files/compile-template.ts';
import { readOwnTemplates } from './template-files/own-templates.ts';

/** The template of each kind of label, compiled when the service starts. */
export type LabelTemplates = Readonly<Record<LabelPayload['kind'], LabelTemplate>>;

/** Our templates, `templates/<kind>.hbs`. */
export const OUR_TEMPLATES = forEachKind((kind) => {
  const file = `${kind}.hbs`;
  const source = readFileSync(new URL(`templates/${file}`, import.meta.url), 'utf8');
  return compileTemplate({ file, source, version: TEMPLATE_VERSION, styledAs: kind });
});

/**
 * Returns the templates that an operator's folder has (docs/labels.md "Templates of your own"), and ours of the other
 * kinds.
 *
 * @throws TemplateError
 */
export function loadTemplates(folder: string | undefined): LabelTemplates {
  return folder ? { ...OUR_TEMPLATES, ...readOwnTemplates(folder) } : OUR_TEMPLATES;
}

/** Returns something of each template, by kind. */
export function ofEachTemplate<T>(templates: LabelTemplates, get: (template: LabelTemplate) => T) {
  return forEachKind((kind) => get(templates[kind]));
}

function forEachKind<T>(make: (kind: LabelPayload['kind']) => T): Record<LabelPayload['kind'], T> {
  return Object.fromEntries(LABEL_KINDS.map((kind) => [kind, make(kind)])) as Record<LabelPayload['kind'], T>;
}
