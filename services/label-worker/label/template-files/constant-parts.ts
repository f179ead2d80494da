/** They draw at a position, anywhere in the template. */
const PLACED = new Set(['text', 'rule', 'path']);
/** Blocks with content on every page of every label. */
const ALWAYS_DRAWN = new Set(['page', 'eachPackage']);

/**
 * Moves constant captions and rules from a template to an underlay, which is printed once because lines of text cost
 * Chromium time. Bold captions stay: the underlay would need a second font in each file.
 * @returns a template of those parts; the rest stays in `program`.
 */
export function takeConstantParts(program: hbs.AST.Program): hbs.AST.Program {
  return { ...program, body: takeFrom(program) };
}

function takeFrom(program: hbs.AST.Program): hbs.AST.Statement[] {
  const { taken = [], left = [] } = Object.groupBy(program.body, (part) =>
    isConstant(part) ? 'taken' : 'left',
  );
  program.body = left;
  return [...taken, ...left.filter(isAlwaysDrawn).flatMap((block) => takeFrom(block.program))];
}

function isConstant(part: hbs.AST.Statement): boolean {
  if (part.type !== 'MustacheStatement') return false;
  const { path, params, hash } = part as hbs.AST.MustacheStatement;
  const attributes = hash?.pairs ?? [];
  const values = [...params, ...attributes.map(({ value }) => value)];
  return (
    PLACED.has((path as hbs.AST.PathExpression).original) &&
    values.every(({ type }) => type.endsWith('Literal')) &&
    !attributes.some(({ key }) => key === 'bold')
  );
}

function isAlwaysDrawn(part: hbs.AST.Statement): part is hbs.AST.BlockStatement {
  if (part.type !== 'BlockStatement') return false;
  const { path } = part as hbs.AST.BlockStatement;
  return ALWAYS_DRAWN.has((path as hbs.AST.PathExpression).original);
}
