/** The helpers that draw at a place of their own, wherever in the template they stand. */
const PLACED = new Set(['text', 'rule', 'path']);
/** The blocks whose content is on every page of every label. */
const ALWAYS_DRAWN = new Set(['page', 'eachPackage']);

/**
 * Takes out of a template what it draws with constants alone: captions and rules, which are the same on every label. They
 * are printed once, as the underlay that each label is laid on: Chromium's time grows with the lines of text, and a letter takes
 * 3.3 ms in place of 3.8. Bold captions stay: the underlay would need a second font, 2.5 kB in each file for one word.
 *
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
