import { CARRIES, type Fleet, fleetFor, input, MONGO_COPIES, REDIS_COPIES } from './fleet.ts';
import inputs from './inputs.json' with { type: 'json' };

/** Labels a second at peak that docs/performance.md shows. */
const RATES = [300, 3_000, 30_000];

const ROWS: readonly [string, (fleet: Fleet) => string][] = [
  ['cells', ({ cells }) => String(cells)],
  [`label workers of ${input('workerCores')} cores`, ({ pods }) => whole(pods.workers)],
  ['api processes', ({ pods }) => whole(pods.apis)],
  ['branches, dashboards', ({ pods }) => `${pods.branches}, ${pods.dashboards}`],
  [
    `Redis: label shards, common; each with ${REDIS_COPIES - 1} replica`,
    ({ redisShards, cells }) => `${redisShards}, ${cells}`,
  ],
  [`MongoDB: shards of ${MONGO_COPIES} servers`, ({ mongoShards }) => whole(mongoShards)],
  [
    'cores: workers, apis, branches and dashboards, Redis, MongoDB',
    ({ cores }) => Object.values(cores).map(whole).join(', '),
  ],
  ['cores together', ({ allCores }) => whole(allCores)],
  ['memory', ({ memory }) => `${whole(memory)} GiB`],
  [
    'traffic of all Redis, of the busiest',
    ({ traffic }) => `${megabytes(traffic.redis)}, ${megabytes(traffic.ofOneRedis)}`,
  ],
  ['commands of the busiest Redis', ({ traffic }) => `${whole(traffic.commandsOfOneRedis)}/s`],
  ['labels to customers', ({ traffic }) => megabytes(traffic.customers)],
  [
    'MongoDB: inserts, disk operations',
    ({ rate, growth }) => `${whole(rate)}/s, ${whole(growth.diskOperations)}/s`,
  ],
  ['MongoDB grows by, each copy', ({ growth }) => `${whole(growth.gbADay)} GB a day`],
  ['money, order of magnitude', ({ usdAMonth }) => `${whole(Number(usdAMonth.toPrecision(1)))} USD a month`],
];

const LIMITS: readonly [string, keyof typeof CARRIES, string][] = [
  ['an api process', 'api', 'one more'],
  ['a label worker', 'worker', 'one more'],
  ['the Redis of a label shard', 'redisShard', 'one more shard, with workers of its own'],
  ['a branches process', 'branches', 'one more'],
  ['the common Redis', 'redisCommon', 'one more cell'],
  [`a MongoDB primary of ${input('mongoCores')} cores`, 'mongoShard', 'one more shard, by hashed `_id`'],
];

/** Returns the tables of a fleet for some rates, as Markdown. */
export function fleetTable(rates: readonly number[] = RATES): string {
  const fleets = rates.map(fleetFor);
  return table([
    ['labels a second at peak', ...rates.map(whole)],
    ...ROWS.map(([what, of]) => [what, ...fleets.map(of)]),
  ]);
}

/** Returns docs/performance.md with the model's tables between their markers. */
export function withCapacity(page: string): string {
  const text = [fleetTable(), limitsTable(), inputsTable()].join('\n\n');
  return page.replace(/(?<=<!-- capacity -->\n).*(?=\n<!-- end of capacity -->)/s, () => `\n${text}\n`);
}

/** What one of each part carries, the least first. */
function limitsTable(): string {
  const rows = LIMITS.toSorted(([, one], [, other]) => CARRIES[one] - CARRIES[other]).map(
    ([what, part, then]) => [what, `${whole(Number(CARRIES[part].toPrecision(2)))}`, then],
  );
  return table([['one of these', 'carries labels a second', 'beyond that'], ...rows]);
}

function inputsTable(): string {
  const rows = Object.values(inputs).map(({ what, value, unit, how, source }) => [
    what,
    `${value} ${unit}`,
    how,
    source,
  ]);
  return table([['input', 'value', 'how it is known', 'source'], ...rows]);
}

function table([head = [], ...rows]: readonly string[][]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function whole(value: number): string {
  return Math.ceil(value).toLocaleString('en').replaceAll(',', ' ');
}

function megabytes(perSecond: number): string {
  return `${whole(perSecond)} MB/s`;
}
