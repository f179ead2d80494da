/**
 * As much of PromQL as the queries of scaling.yaml need, on series of a model. `promtool` is asked in scaling.test.ts
 * whether it computes the same.
 */

type Labels = Readonly<Record<string, string>>;
export type Sample = { at: number; value: number };
/** The samples of a metric, the oldest first; times are in seconds. */
export type Series = { name: string; labels: Labels; samples: readonly Sample[] };

type Element = { labels: Labels; value: number };
type Value = number | Element[];
type Expression = (series: readonly Series[], now: number) => Value;
type Selector = { name: string; matches(labels: Labels): boolean; rangeS: number };

/** Prometheus takes the last sample for the value of now, unless it is older than this, in seconds. */
const LOOKBACK_S = 300;
const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
const TOKEN = /\s*("[^"]*"|\d+[smh](?![a-z])|[\d.]+|[a-z_]\w*|=~|!~|!=|==|>=|<=|[-+*/(){}[\],<>=])/gy;

/**
 * Parses an expression.
 *
 * @returns what computes its value; undefined is "no data".
 * @throws SyntaxError at what this does not know.
 */
export function parseQuery(text: string): (series: readonly Series[], now: number) => number | undefined {
  const expression = new Parser(text).parse();
  return (series, now) => {
    const value = expression(series, now);
    if (typeof value === 'number') return value;
    if (value.length > 1) throw new Error(`${text} has ${value.length} values`);
    return value[0]?.value;
  };
}

/** What an operator makes of two numbers; undefined where a comparison removes the element. */
const OPERATORS: Readonly<Record<string, (a: number, b: number) => number | undefined>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '==': (a, b) => (a === b ? a : undefined),
  '<': (a, b) => (a < b ? a : undefined),
  '>': (a, b) => (a > b ? a : undefined),
};
/** From those that bind least. */
const PRECEDENCE = [['or'], ['and', 'unless'], ['==', '<', '>'], ['+', '-'], ['*', '/']];

class Parser {
  readonly #text: string;
  readonly #tokens: string[];

  constructor(text: string) {
    this.#text = text;
    this.#tokens = [...text.trim().matchAll(TOKEN)].map(([, token = '']) => token);
  }

  parse(): Expression {
    const expression = this.#binary(0);
    if (this.#tokens.length > 0) throw this.#unknown();
    return expression;
  }

  #binary(level: number): Expression {
    const operators = PRECEDENCE[level];
    if (!operators) return this.#operand();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#tokens[0] ?? '')) {
      const operator = this.#tokens.shift() as string;
      const [first, second] = [left, this.#binary(level + 1)];
      left = (series, now) => combine(operator, first(series, now), second(series, now));
    }
    return left;
  }

  #operand(): Expression {
    const token = this.#tokens.shift() ?? '';
    if (token === '(') return this.#closed(this.#binary(0));
    if (/^[\d.]+$/.test(token)) return () => Number(token);
    if (token === 'sum' || token === 'max') return this.#aggregation(token);
    if (token === 'vector') {
      this.#expect('(');
      const scalar = this.#closed(this.#binary(0));
      return (series, now) => [{ labels: {}, value: scalar(series, now) as number }];
    }
    if (token === 'rate') {
      this.#expect('(');
      const selector = this.#selector(this.#tokens.shift() ?? '');
      return this.#closed((series, now) =>
        select(series, selector, (samples) => rate(samples, selector, now)),
      );
    }
    const selector = this.#selector(token);
    return (series, now) => select(series, selector, (samples) => lastValue(samples, now));
  }

  #aggregation(name: 'sum' | 'max'): Expression {
    const by = this.#tokens[0] === 'by' ? this.#names() : [];
    this.#expect('(');
    const inner = this.#closed(this.#binary(0));
    return (series, now) => aggregate(name, by, inner(series, now) as Element[]);
  }

  #names(): string[] {
    const end = this.#tokens.indexOf(')');
    return this.#tokens.splice(0, end + 1).filter((token) => /^\w+$/.test(token) && token !== 'by');
  }

  #selector(name: string): Selector {
    if (!/^[a-z_]\w*$/.test(name)) throw this.#unknown(name);
    const tests: ((labels: Labels) => boolean)[] = [];
    if (this.#tokens[0] === '{') {
      const matchers = this.#tokens.splice(0, this.#tokens.indexOf('}') + 1).slice(1);
      for (let i = 0; i + 2 < matchers.length; i += 4) tests.push(matcher(matchers.slice(i, i + 3)));
    }
    let rangeS = 0;
    if (this.#tokens[0] === '[') {
      const [, duration = ''] = this.#tokens.splice(0, 3);
      rangeS = Number.parseInt(duration, 10) * (UNITS[duration.at(-1) ?? ''] ?? Number.NaN);
    }
    return { name, rangeS, matches: (labels) => tests.every((test) => test(labels)) };
  }

  #closed(expression: Expression): Expression {
    this.#expect(')');
    return expression;
  }

  #expect(token: string): void {
    const next = this.#tokens.shift();
    if (next !== token) throw this.#unknown(next);
  }

  #unknown(token = this.#tokens[0]): SyntaxError {
    return new SyntaxError(`"${token}" is not understood here in ${this.#text}`);
  }
}

function matcher([label = '', operator = '', quoted = '']: string[]): (labels: Labels) => boolean {
  const value = quoted.slice(1, -1);
  const pattern = new RegExp(`^(?:${value})$`);
  const test = (given: string) => (operator.endsWith('~') ? pattern.test(given) : given === value);
  return (labels) => test(labels[label] ?? '') !== operator.startsWith('!');
}

function select(
  series: readonly Series[],
  { name, matches }: Selector,
  read: (samples: readonly Sample[]) => number | undefined,
): Element[] {
  const found = series.filter((each) => each.name === name && matches(each.labels));
  return found.flatMap(({ labels, samples }) => {
    const value = read(samples);
    return value === undefined ? [] : [{ labels, value }];
  });
}

function lastValue(samples: readonly Sample[], now: number): number | undefined {
  const last = samples.findLast(({ at }) => at <= now);
  // A sample that is no number says that the target no longer has the series.
  return last && last.at > now - LOOKBACK_S && !Number.isNaN(last.value) ? last.value : undefined;
}

/** Computes `rate` of a counter that was not reset, with Prometheus' extrapolation to the ends of the range. */
function rate(samples: readonly Sample[], { rangeS }: Selector, now: number): number | undefined {
  const within = samples.filter(({ at, value }) => at > now - rangeS && at <= now && !Number.isNaN(value));
  const [first, last] = [within[0], within.at(-1)];
  if (!first || !last || within.length < 2) return undefined;
  const sampledS = last.at - first.at;
  const increase = last.value - first.value;
  const intervalS = sampledS / (within.length - 1);
  const reach = (gapS: number) => (gapS >= 1.1 * intervalS ? intervalS / 2 : gapS);
  const toStartS = reach(first.at - (now - rangeS));
  // A counter is not extrapolated below zero.
  const sinceZeroS = increase > 0 ? (sampledS * first.value) / increase : toStartS;
  const coveredS = sampledS + Math.min(toStartS, sinceZeroS) + reach(now - last.at);
  return (increase * coveredS) / sampledS / rangeS;
}

function aggregate(name: 'sum' | 'max', by: readonly string[], elements: Element[]): Element[] {
  const groups = new Map<string, Element>();
  for (const { labels, value } of elements) {
    const kept = Object.fromEntries(by.map((label) => [label, labels[label] ?? '']));
    const group = groups.get(keyOf(kept));
    if (!group) groups.set(keyOf(kept), { labels: kept, value });
    else group.value = name === 'sum' ? group.value + value : Math.max(group.value, value);
  }
  return [...groups.values()];
}

function combine(operator: string, left: Value, right: Value): Value {
  if (typeof left === 'number' && typeof right === 'number') return OPERATORS[operator]?.(left, right) ?? [];
  const elements = (value: Value) => (typeof value === 'number' ? [] : value);
  const keys = (value: Value) => new Set(elements(value).map(({ labels }) => keyOf(labels)));
  const [inLeft, inRight] = [keys(left), keys(right)];
  if (operator === 'and') return elements(left).filter(({ labels }) => inRight.has(keyOf(labels)));
  if (operator === 'unless') return elements(left).filter(({ labels }) => !inRight.has(keyOf(labels)));
  if (operator === 'or')
    return [...elements(left), ...elements(right).filter(({ labels }) => !inLeft.has(keyOf(labels)))];
  const base = typeof left === 'number' ? elements(right) : left;
  return base.flatMap(({ labels }) => {
    const [a, b] = [left, right].map((value) =>
      typeof value === 'number' ? value : value.find((each) => keyOf(each.labels) === keyOf(labels))?.value,
    );
    const value = a === undefined || b === undefined ? undefined : OPERATORS[operator]?.(a, b);
    return value === undefined ? [] : [{ labels, value }];
  });
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort());
}
