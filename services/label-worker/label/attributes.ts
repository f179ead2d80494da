/** The attributes of the template helpers. Positions and sizes are numbers, for any template or guide. */

/** In dots: a letter page has 2 235. */
const MAX_DOTS = 10_000;
const LENGTH = /^\d+(\.\d+)?(mm|cm|in)$/;

const isNumber = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && value >= least && value <= most;
const isPosition = (value: unknown) => isNumber(value, -MAX_DOTS, MAX_DOTS);
const isSize = (value: unknown) => isNumber(value, Number.MIN_VALUE, MAX_DOTS);

const TYPES = {
  text: [(value: unknown) => typeof value === 'string', 'a text'],
  markLetter: [(value: unknown) => value === 'D' || value === 'S', '"D" or "S"'],
  flag: [(value: unknown) => typeof value === 'boolean', 'true or false'],
  length: [(value: unknown) => typeof value === 'string' && LENGTH.test(value), 'a length, such as "100mm"'],
  position: [isPosition, 'a number of dots'],
  gap: [(value: unknown) => isNumber(value, 0, MAX_DOTS), 'a number of dots, 0 or more'],
  size: [isSize, 'a number of dots above 0'],
  // A printer has whole dots: otherwise the bars of a code would vary by a dot.
  wholePosition: [(value: unknown) => isPosition(value) && Number.isInteger(value), 'a whole number of dots'],
  wholeSize: [(value: unknown) => isSize(value) && Number.isInteger(value), 'a whole number of dots above 0'],
  // The steps of fitting a text grow with its lines at the smallest type.
  points: [(value: unknown) => isNumber(value, 1, 1_000), 'a number of points, 1 to 1000'],
  lines: [(value: unknown) => isNumber(value, 1, 100) && Number.isInteger(value), 'a whole number, 1 to 100'],
  rank: [(value: unknown) => isNumber(value, 0, 100), 'a number, 0 to 100'],
  scale: [(value: unknown) => isNumber(value, 1, 10), 'a number, 1 to 10'],
} satisfies Record<string, [(value: unknown) => boolean, string]>;

type Type = `${keyof typeof TYPES}${'' | '?'}`;
type Call = { value?: Type; attributes: Readonly<Record<string, Type>> };

const FITTED = {
  size: 'points',
  maxLines: 'lines?',
  minSize: 'points?',
  bold: 'flag?',
  class: 'text?',
} as const;
const ANCHOR = { x: 'position?', middle: 'position?', right: 'position?', y: 'position' } as const;
const AREA = { width: 'size', height: 'size' } as const;
const CODE_POSITION = { middle: 'wholePosition?', y: 'wholePosition?' } as const;

/** The helpers as they are called, a block with `#`. `?`: may be left out. */
export const CALLS: Readonly<Record<string, Call>> = {
  '#page': { attributes: { width: 'length', height: 'length' } },
  '#eachPackage': { attributes: {} },
  text: { value: 'text?', attributes: { ...ANCHOR, ...FITTED, width: 'size?', keepBaseline: 'flag?' } },
  '#column': { attributes: { x: 'position?', y: 'position?', ...AREA, gap: 'gap', maxScale: 'scale?' } },
  field: {
    value: 'text?',
    attributes: {
      ...{ ...FITTED, whole: 'flag?', importance: 'rank?', minLines: 'lines?', tail: 'text?' },
      framed: 'flag?',
    },
  },
  fit: { value: 'text?', attributes: { width: 'size', ...FITTED } },
  '#logo': {
    value: 'text?',
    attributes: { x: 'position', y: 'position', ...AREA, gap: 'gap', right: 'position' },
  },
  logo: { value: 'text?', attributes: AREA },
  picture: { value: 'text', attributes: { x: 'position', y: 'position', ...AREA } },
  rule: { attributes: { x: 'wholePosition', y: 'wholePosition', width: 'wholeSize', height: 'wholeSize' } },
  stamp: { value: 'text?', attributes: { middle: 'position', y: 'position', size: 'points' } },
  serviceMark: {
    value: 'markLetter',
    attributes: { x: 'wholePosition', y: 'wholePosition', size: 'wholeSize' },
  },
  path: { value: 'text', attributes: { stroke: 'size' } },
  qr: { value: 'text', attributes: { ...CODE_POSITION, size: 'wholeSize' } },
  barcode: { value: 'text', attributes: { ...CODE_POSITION, height: 'wholeSize', module: 'wholeSize' } },
};

type Check = { accepts: (value: unknown) => boolean; wanted: string; isOptional: boolean };

/** Made once, because each text of each label is such a call. */
const CHECKS: Readonly<
  Record<string, { value?: Check; attributes: Map<string, Check>; required: [string, Check][] }>
> = Object.fromEntries(
  Object.entries(CALLS).map(([name, { value, attributes }]) => {
    const checks = Object.entries(attributes).map(([key, type]): [string, Check] => [key, checkOf(type)]);
    const required = checks.filter(([, { isOptional }]) => !isOptional);
    return [name, { ...(value && { value: checkOf(value) }), attributes: new Map(checks), required }];
  }),
);

function checkOf(type: Type): Check {
  const isOptional = type.endsWith('?');
  const [accepts, wanted] = TYPES[(isOptional ? type.slice(0, -1) : type) as keyof typeof TYPES];
  return { accepts, wanted, isOptional };
}

/**
 * Checks the values and attributes that a template gives a helper.
 * @param name with `#` for a block.
 * @throws with helper, attribute and value if one is missing, unknown or wrong.
 */
export function checkCall(name: string, values: readonly unknown[], hash: Record<string, unknown>): void {
  const checks = CHECKS[name];
  if (!checks) {
    const other = name.startsWith('#') ? name.slice(1) : `#${name}`;
    throw new Error(`there is no {{${name}}}; write {{${other}}}`);
  }
  if (values.length !== (checks.value ? 1 : 0))
    throw new Error(`{{${name}}} takes ${checks.value ? 'one value' : 'no value'}`);
  if (checks.value) checkValue(name, 'value', checks.value, values[0]);
  for (const attribute in hash) {
    const check = checks.attributes.get(attribute);
    if (!check) throw new Error(`{{${name}}} has no attribute "${attribute}"`);
    if (check.isOptional) checkValue(name, attribute, check, hash[attribute]);
  }
  for (const [attribute, check] of checks.required) checkValue(name, attribute, check, hash[attribute]);
}

function checkValue(
  helper: string,
  name: string,
  { accepts, wanted, isOptional }: Check,
  value: unknown,
): void {
  if (value === undefined && isOptional) return;
  if (value === undefined) throw new Error(`{{${helper}}} needs ${name}, ${wanted}`);
  if (!accepts(value))
    throw new Error(`{{${helper}}}: ${name} must be ${wanted}, not ${JSON.stringify(value)}`);
}
