import Handlebars from 'handlebars';
import type { Sheet } from '../sheet.ts';
import { templateHelpers } from '../template-helpers.ts';
import type { LabelView } from '../view.ts';
import { checkSyntax, type PageSize } from './check-syntax.ts';
import { takeConstantParts } from './constant-parts.ts';
import { scopedStyles } from './scoped-styles.ts';
import { TemplateError } from './template-error.ts';

/** The template of one kind of label, ready to draw. */
export type LabelTemplate = {
  /** Its file, as messages name it. */
  file: string;
  version: string;
  size: PageSize;
  source: string;
  /** The styles that it brings, for pages of its kind alone. */
  styles: string;
  /** Draws what all labels have in common, where there is any. */
  drawUnderlay: ((sheet: Sheet) => void) | undefined;
  /** Draws the rest of a label on a sheet. @throws TemplateError */
  draw(view: LabelView, sheet: Sheet): void;
};

/** `source` is Handlebars, `styledAs` the class of the kind's pages. */
export type TemplateSource = { file: string; source: string; version: string; styledAs: string };

const engine = Handlebars.create();
engine.registerHelper(templateHelpers);
/** Whose helpers add to their errors the line where they stand. */
const tracingEngine = Handlebars.create();
for (const [name, helper] of Object.entries(templateHelpers))
  tracingEngine.registerHelper(name, traced(helper as Handlebars.HelperDelegate));
// `log` would write what a label says to the log.
const knownHelpers = {
  ...Object.fromEntries(Object.keys(templateHelpers).map((name) => [name, true])),
  log: false,
};

/**
 * Compiles a template once, for all labels of its kind.
 *
 * @param options.trace whether helpers name their line where they fail; it costs a little with each label.
 * @param options.whole whether all of a label is drawn with it, and no underlay is printed.
 * @throws TemplateError for a syntax error, and for what no template may hold.
 */
export function compileTemplate(
  { file, source, version, styledAs }: TemplateSource,
  { trace = false, whole = false } = {},
): LabelTemplate {
  const { markup, styles } = scopedStyles(file, source, styledAs);
  const { program, size } = checkSyntax(file, markup);
  const constant = whole ? undefined : takeConstantParts(program);
  // `strict` refuses a field that the view does not have, and `knownHelpersOnly` a misspelt helper.
  const compile = (parts: hbs.AST.Program) =>
    (trace ? tracingEngine : engine).compile(parts, { strict: true, knownHelpersOnly: true, knownHelpers });
  const template = compile(program);
  const underlay = constant && constant.body.length > 0 && compile(constant);
  const drawing = (parts: Handlebars.TemplateDelegate, view: object, sheet: Sheet) => {
    try {
      parts(view, { data: { sheet } });
    } catch (error) {
      throw placed(file, error);
    }
  };
  return {
    file,
    version,
    size,
    source,
    styles,
    drawUnderlay: underlay ? (sheet) => drawing(underlay, {}, sheet) : undefined,
    draw: (view, sheet) => drawing(template, view, sheet),
  };
}

/** Names the file and line of what Handlebars or a helper throws. */
function placed(file: string, error: unknown): TemplateError {
  const { message, lineNumber } = error as Error & { lineNumber?: number };
  const unknown = /^"(.+)" not defined in/.exec(message)?.[1];
  const reason = unknown ? `there is no field "${unknown}"` : message.replace(/ - \d+:\d+$/, '');
  return new TemplateError(file, lineNumber, reason, { cause: error });
}

function traced(helper: Handlebars.HelperDelegate): Handlebars.HelperDelegate {
  return function (this: unknown, ...values) {
    try {
      return helper.apply(this, values as Parameters<Handlebars.HelperDelegate>);
    } catch (error) {
      const { loc } = values.at(-1) as { loc?: hbs.AST.SourceLocation };
      // Of blocks in each other, the innermost is to blame.
      throw Object.assign(error as Error, {
        lineNumber: (error as { lineNumber?: number }).lineNumber ?? loc?.start.line,
      });
    }
  };
}
