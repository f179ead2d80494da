import { readFileSync } from 'node:fs';
import Handlebars, { type HelperDelegate, type HelperOptions } from 'handlebars';
import { ConfigError } from '#shared/config/load-config.ts';
import { checkCall } from '../attributes.ts';
import type { Sheet } from '../sheet.ts';
import { templateHelpers } from '../template-helpers.ts';
import { takeConstantParts } from './constant-parts.ts';

export type LabelTemplate = Pick<TemplateSource, 'file' | 'version' | 'kind' | 'isOurs'> & {
  /** CSS with the size of its pages. */
  pageStyles: string;
  /** The template's styles for each print. Empty for ours, because the document has their styles. */
  head: string;
  /** Draws what all labels share, if anything. */
  drawUnderlay: ((sheet: Sheet) => void) | undefined;
  /** Draws the rest of a label, or of a page of a document, on a sheet. @throws TemplateError */
  draw(view: object, sheet: Sheet): void;
};

/** The message names the reason, the file and, if known, the line. */
export class TemplateError extends ConfigError {
  override name = 'TemplateError';

  constructor(file: string, line: number | undefined, message: string, options?: ErrorOptions) {
    super(`${line ? `${file}:${line}` : file}: ${message}`, options);
  }
}

const engine = Handlebars.create();
for (const [name, helper] of Object.entries(templateHelpers))
  engine.registerHelper(name, checked(name, helper as HelperDelegate));
const helperNames = Object.keys(templateHelpers).map((name) => [name, true]);
const OPTIONS = {
  knownHelpersOnly: true,
  // `log` would write a label's data to the log.
  knownHelpers: { ...Object.fromEntries(helperNames), log: false },
  strict: true,
};
/** For helpers without a position, which only operators' templates have. */
const FLOW_STYLES = readFileSync(new URL('../flow/flow.css', import.meta.url), 'utf8');

/** `kind` is the class of the pages; `isOurs`: the document already has the template's styles. */
export type TemplateSource = { file: string; source: string; version: string; kind: string; isOurs: boolean };

/** @throws TemplateError */
export function compileTemplate({ file, source, version, kind, isOurs }: TemplateSource): LabelTemplate {
  const attempt = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw placed(file, error);
    }
  };
  return attempt(() => {
    const program = Handlebars.parse(source);
    const { styles, page } = partsOf(program);
    const pageStyles = stylesOfPage(kind, page);
    const strict = new StrictTemplate();
    strict.accept(page);
    if (!strict.showsTest) page.program.body.unshift(...Handlebars.parse(TEST_LINE).body);
    if (!strict.showsMark) addMarkLine(page);
    const constant = takeConstantParts(program);
    const drawing = (parts: hbs.AST.Program) => {
      const template = engine.compile(parts, OPTIONS);
      return (view: object, sheet: Sheet) => attempt(() => void template(view, { data: { sheet } }));
    };
    const [drawUnderlay, draw] = [drawing(constant), drawing(program)];
    return {
      file,
      version,
      kind,
      isOurs,
      pageStyles,
      head: isOurs ? '' : `<style>${pageStyles}${FLOW_STYLES}</style>${styles}`,
      drawUnderlay: constant.body.length > 0 ? (sheet) => drawUnderlay({}, sheet) : undefined,
      draw,
    };
  });
}

/** Added at the upper edge of a template that shows no field of `test`. */
const TEST_LINE = '{{text test.band x=8 y=16 size=5 bold=true}}';

/** Adds a line below that to a template that shows no mark: to the page of each package, which may have another mark. */
function addMarkLine({ program }: hbs.AST.BlockStatement): void {
  const isBlock = (part: hbs.AST.Statement): part is hbs.AST.BlockStatement => part.type === 'BlockStatement';
  const packages = program.body.filter(isBlock).find(({ path }) => path.original === 'eachPackage');
  if (packages) packages.program.blockParams ??= ['package'];
  const [name] = packages?.program.blockParams ?? [];
  const line = `{{text ${name === undefined ? 'mark' : `${name}.mark`} x=8 y=46 size=10 bold=true}}`;
  (packages?.program ?? program).body.unshift(...Handlebars.parse(line).body);
}

/** Handlebars throws errors with the template's line too. */
type LinedError = Error & { lineNumber?: number };

function errorAt(line: number, message: string): LinedError {
  return Object.assign(new Error(message), { lineNumber: line });
}

function placed(file: string, error: unknown): TemplateError {
  const { message, lineNumber } = error as LinedError;
  // The parser's message has the line, a picture of the position, and what the parser expected.
  const [, line] = /error on line (\d+)/.exec(message) ?? [];
  const reason = message
    .replace(/^.*error on line \d+[:.]?\s*/, '')
    .replace(/^"(.+)" not defined in .*/, 'there is no field "$1"')
    .replace(/^You specified knownHelpersOnly, but used the unknown helper (\S+)/, 'there is no helper "$1"')
    .replace(/ - \d+:\d+$/, '');
  return new TemplateError(file, lineNumber ?? (line ? Number(line) : undefined), reason, { cause: error });
}

/** Handlebars passes this after the values; `fn` draws the inside of a block. */
type CallOptions = Pick<HelperOptions, 'hash'> & { fn?: HelperDelegate; loc: hbs.AST.SourceLocation };

/** Checks the helper's call, and adds the line to its errors. */
function checked(name: string, helper: HelperDelegate): HelperDelegate {
  return function (this: unknown, ...given) {
    const { hash, fn, loc } = given.at(-1) as CallOptions;
    try {
      checkCall(fn ? `#${name}` : name, given.slice(0, -1), hash);
      return helper.apply(this, given as Parameters<HelperDelegate>);
    } catch (error) {
      // Of nested blocks, the innermost is at fault. Handlebars' own errors may have their line.
      if ('lineNumber' in (error as LinedError)) throw error;
      throw Object.assign(error as Error, { lineNumber: loc.start.line });
    }
  };
}

/** Returns the styles at the top, and `{{#page}}`, which is around everything else. */
function partsOf({ body }: hbs.AST.Program): { styles: string; page: hbs.AST.BlockStatement } {
  const isPage = (part: hbs.AST.Statement): part is hbs.AST.BlockStatement =>
    part.type === 'BlockStatement' && (part as hbs.AST.BlockStatement).path.original === 'page';
  const page = body.find(isPage);
  if (!page) throw errorAt(1, '{{#page width="…mm" height="…mm"}} must be around everything but styles');
  const others = body.filter((part) => part !== page && part.type !== 'CommentStatement');
  const stray = others.find(({ type }) => type !== 'ContentStatement');
  if (stray)
    throw errorAt(
      stray.loc.start.line,
      'outside of {{#page}} stand <style> elements without {{ }}, and nothing else',
    );
  const styles = others.map((part) => (part as hbs.AST.ContentStatement).original).join('');
  return { styles, page };
}

/**
 * Content is half a millimetre smaller than its page: Chromium cuts a page to whole CSS pixels, and larger content
 * would add an empty page.
 */
function stylesOfPage(kind: string, page: hbs.AST.BlockStatement): string {
  const pairs = page.hash?.pairs ?? [];
  const attributes = pairs.map(({ key, value }) => [key, (value as hbs.AST.StringLiteral).value]);
  const { width, height } = Object.fromEntries(attributes) as Record<string, string>;
  try {
    checkCall('#page', page.params, { width, height });
  } catch (error) {
    throw errorAt(page.loc.start.line, (error as Error).message);
  }
  return `@page ${kind} { size: ${width} ${height} }
.${kind} { page: ${kind}; width: calc(${width} - .5mm); height: calc(${height} - .5mm) }
`;
}

const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  eachPackage: ['position', 'code', 'number', 'mark'],
  logo: ['x', 'width'],
};

/** Refuses what Handlebars accepts: unescaped values, styles with values, unknown fields in a helper's call. */
class StrictTemplate extends Handlebars.Visitor {
  readonly #blockFields = new Map<string, readonly string[]>();
  /** Whether the template itself says that a label is of a test account. */
  showsTest = false;
  /** Whether it shows what decides what is done with the parcel. */
  showsMark = false;

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    if (!node.escaped)
      throw errorAt(node.loc.start.line, 'texts are escaped: write {{ }} and not {{{ }}} or {{& }}');
    super.MustacheStatement(node);
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    const [name] = node.program.blockParams ?? [];
    const fields = BLOCK_FIELDS[node.path.original];
    if (name !== undefined && fields) this.#blockFields.set(name, fields);
    super.BlockStatement(node);
    this.#blockFields.delete(name ?? '');
  }

  /** Handlebars is strict with what `{{ }}` prints, but with a helper's value only if its node says so. */
  override PathExpression(node: hbs.AST.PathExpression): void {
    Object.assign(node, { strict: true });
    const [first = '', field = ''] = node.parts as string[];
    if (first === 'test') this.showsTest = true;
    const fields = this.#blockFields.get(first);
    if (first === 'mark' || (fields?.includes('mark') && field === 'mark')) this.showsMark = true;
    if (fields && !fields.includes(field))
      throw errorAt(node.loc.start.line, `there is no field "${node.original}"`);
  }

  /** Styles on a page would be read with each label, and a value in them could style other labels of the print. */
  override ContentStatement({ original, loc }: hbs.AST.ContentStatement): void {
    const text = String(original);
    const at = text.search(/<style\b/i);
    if (at >= 0)
      throw errorAt(
        loc.start.line + text.slice(0, at).split('\n').length - 1,
        'styles stand before {{#page}}',
      );
  }
}
