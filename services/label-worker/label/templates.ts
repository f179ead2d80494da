import { readFileSync } from 'node:fs';
import Handlebars from 'handlebars';
import {
  LABEL_KINDS,
  type LabelPayload,
  TEMPLATE_VERSION,
  type TemplateVersions,
} from '#shared/contracts/label-job.ts';
import { templateHelpers } from './template-helpers.ts';
import type { LabelView } from './view.ts';

/** The template of each kind of label, `templates/<kind>.hbs`, compiled when the service starts. */

type Kind = LabelPayload['kind'];
type Template = Handlebars.TemplateDelegate<LabelView>;
/** CSS lengths, such as `100mm`. */
export type PageSize = { width: string; height: string };

const engine = Handlebars.create();
engine.registerHelper(templateHelpers);
const knownHelpers = Object.fromEntries(Object.keys(templateHelpers).map((name) => [name, true]));

export const TEMPLATES = forEachKind((kind): Template => {
  const source = readFileSync(new URL(`templates/${kind}.hbs`, import.meta.url), 'utf8');
  // `strict` refuses a field that the view does not have, and `knownHelpersOnly` a misspelt helper. Nothing is escaped
  // here because nothing is kept: helpers record, and escape, what stands on the label.
  return engine.compile(source, { strict: true, knownHelpersOnly: true, knownHelpers, noEscape: true });
});

export const TEMPLATE_VERSIONS: TemplateVersions = forEachKind(() => TEMPLATE_VERSION);

export const PAGE_SIZES = forEachKind((kind): PageSize => {
  let size: PageSize | undefined;
  // A `page` helper that notes the size and draws nothing.
  const page = ({ hash: { width, height } }: Handlebars.HelperOptions) => {
    size = { width, height };
  };
  TEMPLATES[kind]({} as LabelView, { helpers: { page } });
  if (!size?.width || !size.height) throw new Error(`${kind}.hbs states no page with width and height`);
  return size;
});

function forEachKind<T>(make: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return Object.fromEntries(LABEL_KINDS.map((kind) => [kind, make(kind)])) as Record<Kind, T>;
}
