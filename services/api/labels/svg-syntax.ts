/** One tag with its attributes as a browser reads XML: each value in quotes, without `<`. */
const TAG = /<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/y;
const ATTRIBUTE = /([\w:.-]+)\s*=\s*("[^"]*"|'[^']*')/g;
/** A comment, the XML declaration, or text. */
const OTHER = /<!--(?:(?!--)[\s\S])*-->|<\?xml\s[^>]*\?>|[^<]+/y;
/** An `&` that begins neither one of XML's five entities nor a character's number. */
const UNKNOWN_ENTITY = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/i;
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/**
 * Returns why a browser would not draw an SVG, with the line. A single unclosed tag suffices (XML 1.0, 2.1;
 * Namespaces in XML 1.0).
 */
export function svgProblem(text: string): string | undefined {
  const open: string[] = [];
  const prefixes = new Set([
    'xml',
    'xmlns',
    ...[...text.matchAll(/\sxmlns:([\w.-]+)\s*=/g)].map(([, name]) => name),
  ]);
  let roots = 0;
  const source = text.replace(/^\uFEFF/, '');
  for (let at = 0; at < source.length; ) {
    const problem = (what: string) => `${what}, on line ${source.slice(0, at).split('\n').length}`;
    OTHER.lastIndex = TAG.lastIndex = at;
    const [other] = OTHER.exec(source) ?? [];
    if (other !== undefined) {
      const isText = !other.startsWith('<');
      if (isText && UNKNOWN_ENTITY.test(other)) return problem('an & that is not written as &amp;');
      if (isText && open.length === 0 && other.trim()) return problem('text outside of <svg>');
      at += other.length;
      continue;
    }
    const [tag = '', end, name = '', attributes = '', empty] = TAG.exec(source) ?? [];
    if (!tag) return problem('a tag that cannot be read');
    if (end && open.pop() !== name) return problem(`</${name}> without its <${name}>`);
    if (!end && open.length === 0 && roots++ > 0) return problem('a second element beside <svg>');
    const wrong = end ? undefined : wrongAttributes(name, attributes, prefixes);
    if (wrong) return problem(wrong);
    if (roots === 1 && open.length === 0 && !end && namespaceOf(attributes) !== SVG_NAMESPACE)
      return `<svg> without xmlns="${SVG_NAMESPACE}"`;
    if (!end && !empty) open.push(name);
    at += tag.length;
  }
  return open.length > 0 ? `<${open.at(-1)}> that is not closed` : undefined;
}

function wrongAttributes(
  element: string,
  attributes: string,
  prefixes: ReadonlySet<unknown>,
): string | undefined {
  const given = [...attributes.matchAll(ATTRIBUTE)];
  const names = given.map(([, name = '']) => name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice) return `the attribute ${twice} twice`;
  if (given.some(([, , value = '']) => UNKNOWN_ENTITY.test(value)))
    return 'an & that is not written as &amp;';
  const unknown = [element, ...names].find((name) => name.includes(':') && !prefixes.has(name.split(':')[0]));
  return unknown && `${unknown} without the xmlns of its prefix`;
}

function namespaceOf(attributes: string): string | undefined {
  return /\sxmlns\s*=\s*["']([^"']*)["']/.exec(attributes)?.[1];
}
