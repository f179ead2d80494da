import Handlebars from 'handlebars';
import { ATTRIBUTES, type AttributeType } from '../template-helpers.ts';
import { lineOf } from './scoped-styles.ts';
import { TemplateError } from './template-error.ts';

type Node = hbs.AST.Node;
type Call = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression;
/** CSS lengths, such as `100mm`. */
export type PageSize = { width: string; height: string };

/** Helpers that Handlebars has; their attributes are its affair. */
const BUILT_IN = new Set(['if', 'unless', 'each', 'with', 'lookup']);
/** The fields of what a block hands over, `as |name|`. */
const BLOCK_FIELDS: Readonly<Record<string, readonly string[]>> = {
  eachPackage: ['position', 'code', 'number'],
  logo: ['x', 'width'],
};
/** Elements that would load or run something, or link to it; the document's policy denies it, without a word. */
const REFUSED_ELEMENT = /<\/?(script|link|iframe|frame|object|embed|meta|base|form|a|html|head|body)\b/i;
const REMOTE = /\b(?:src|href|data)\s*=\s*["']?\s*(?:https?:)?\/\//i;
const LENGTH = /^\d+(\.\d+)?(mm|cm|in)$/;

/**
 * Parses a template and refuses, by its line, what no template may hold.
 *
 * @throws TemplateError
 */
export function checkSyntax(file: string, markup: string): { program: hbs.AST.Program; size: PageSize } {
  const program = parse(file, markup);
  const check = new SyntaxCheck(file);
  check.accept(program);
  if (!check.called.has('barcode'))
    throw new TemplateError(file, undefined, 'a label has a Code 128: there is no {{barcode}}');
  return { program, size: pageSize(file, program) };
}

function parse(file: string, markup: string): hbs.AST.Program {
  try {
    return Handlebars.parse(markup);
  } catch (error) {
    const { message, lineNumber } = error as Error & { lineNumber?: number };
    // Of the parser's message, the line, a picture of the place, and what it expected.
    const [, line] = /error on line (\d+)/.exec(message) ?? [];
    const reason = message.replace(/^.*error on line \d+[:.]?\s*/, '').replace(/ - \d+:\d+$/, '');
    throw new TemplateError(file, lineNumber ?? (line ? Number(line) : undefined), reason, { cause: error });
  }
}

/** Returns the size that `{{#page}}` states, which is around everything else. */
function pageSize(file: string, { body }: hbs.AST.Program): PageSize {
  const parts = body.filter((part) => !isBlank(part));
  const [page, ...more] = parts;
  if (!page || !isBlock(page) || page.path.original !== 'page')
    throw new TemplateError(
      file,
      page?.loc.start.line ?? 1,
      '{{#page width="…mm" height="…mm"}} must be around everything else',
    );
  if (more[0]) throw new TemplateError(file, more[0].loc.start.line, 'stands outside of {{#page}}');
  const [width, height] = ['width', 'height'].map((name) => {
    const value = page.hash?.pairs.find(({ key }) => key === name)?.value;
    const text = value?.type === 'StringLiteral' ? (value as hbs.AST.StringLiteral).value : '';
    if (!LENGTH.test(text))
      throw new TemplateError(file, page.loc.start.line, `{{#page}} needs a ${name}, such as "100mm"`);
    return text;
  }) as [string, string];
  return { width, height };
}

function isBlank(part: Node): boolean {
  if (part.type === 'CommentStatement') return true;
  return part.type === 'ContentStatement' && !(part as hbs.AST.ContentStatement).value.trim();
}

function isBlock(part: Node): part is hbs.AST.BlockStatement {
  return part.type === 'BlockStatement';
}

class SyntaxCheck extends Handlebars.Visitor {
  readonly #file: string;
  readonly called = new Set<string>();
  readonly #blockFields = new Map<string, readonly string[]>();

  constructor(file: string) {
    super();
    this.#file = file;
  }

  override MustacheStatement(node: hbs.AST.MustacheStatement): void {
    if (!node.escaped) this.#refuse(node, 'texts are escaped: write {{ }} and not {{{ }}} or {{& }}');
    this.#checkCall(node);
    super.MustacheStatement(node);
  }

  override BlockStatement(node: hbs.AST.BlockStatement): void {
    this.#checkCall(node);
    const [name] = node.program.blockParams ?? [];
    const fields = BLOCK_FIELDS[node.path.original];
    if (name !== undefined && fields) this.#blockFields.set(name, fields);
    super.BlockStatement(node);
    this.#blockFields.delete(name ?? '');
  }

  /** Handlebars is strict with what `{{ }}` prints, but with a helper's value only where its node says so. */
  override PathExpression(node: hbs.AST.PathExpression): void {
    Object.assign(node, { strict: true });
    const [first = '', field] = node.parts as string[];
    const fields = this.#blockFields.get(first);
    if (fields && !fields.includes(field ?? '')) this.#refuse(node, `there is no field "${node.original}"`);
  }

  override SubExpression(node: hbs.AST.SubExpression): void {
    this.#checkCall(node);
    super.SubExpression(node);
  }

  override PartialStatement(node: hbs.AST.PartialStatement): void {
    this.#refuse(node, 'a template is one file and has no partials');
  }

  override PartialBlockStatement(node: hbs.AST.PartialBlockStatement): void {
    this.#refuse(node, 'a template is one file and has no partials');
  }

  override Decorator(node: hbs.AST.Decorator): void {
    this.#refuse(node, 'a template has no decorators');
  }

  override DecoratorBlock(node: hbs.AST.DecoratorBlock): void {
    this.#refuse(node, 'a template has no decorators');
  }

  override ContentStatement(node: hbs.AST.ContentStatement): void {
    const { loc } = node;
    const value = String(node.original);
    const line = (index: number) => loc.start.line + lineOf(value, index) - 1;
    const element = REFUSED_ELEMENT.exec(value);
    if (element)
      throw new TemplateError(this.#file, line(element.index), `a label can have no <${element[1]}>`);
    const remote = REMOTE.exec(value);
    if (remote)
      throw new TemplateError(
        this.#file,
        line(remote.index),
        'a label loads nothing: write an image as a data: URI',
      );
  }

  #checkCall(node: Call): void {
    const name = (node.path as hbs.AST.PathExpression).original;
    const attributes = ATTRIBUTES[name];
    this.called.add(name);
    if (attributes) this.#checkAttributes(node, name, attributes);
    const isCall = node.type !== 'MustacheStatement' || node.params.length > 0 || node.hash?.pairs.length > 0;
    if (isCall && !attributes && !BUILT_IN.has(name)) this.#refuse(node, `there is no helper "${name}"`);
  }

  #checkAttributes(node: Call, helper: string, attributes: Readonly<Record<string, AttributeType>>): void {
    const given = new Map((node.hash?.pairs ?? []).map(({ key, value }) => [key, value]));
    for (const [name, value] of given) {
      const type = attributes[name]?.replace('?', '');
      if (!type) this.#refuse(node, `{{${helper}}} has no attribute "${name}"`);
      const literal = /^(String|Number|Boolean)Literal$/.exec(value.type)?.[1]?.toLowerCase();
      if (literal && literal !== type) this.#refuse(node, `{{${helper}}}: ${name} must be a ${type}`);
    }
    for (const [name, type] of Object.entries(attributes)) {
      if (!type.endsWith('?') && !given.has(name)) this.#refuse(node, `{{${helper}}} needs ${name}=`);
    }
  }

  #refuse(node: Node, reason: string): never {
    throw new TemplateError(this.#file, node.loc.start.line, reason);
  }
}
