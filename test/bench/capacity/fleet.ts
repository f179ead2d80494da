import inputs from './inputs.json' with { type: 'json' };

/** The capacity model: what a fleet needs for so many labels a second at peak, each of a guide that is created too. */

type Input = keyof typeof inputs;
/** The copies of each guide: a replica set of three. */
export const MONGO_COPIES = 3;
/** A primary and its replica. */
export const REDIS_COPIES = 2;
/** Fewest processes of a service in a cell: one may restart. */
const FEWEST = 2;
const HOURS_A_MONTH = 730;
const DAYS_A_MONTH = 30;
const SECONDS_A_DAY = 86_400;

export const input = (name: Input): number => inputs[name].value;

/** Core-ms of each part for a label and the guide that is created for it. */
export const CORE_MS = {
  worker: input('chromium') + input('labelWorker'),
  api: input('apiLabel') + input('apiCreation'),
  branches: input('branchesLabel') + input('branchesCreation'),
  redisShard: input('redisLabel') - input('redisCommonLabel'),
  redisCommon: input('redisCommonLabel') + input('redisCommonCreation'),
  database: input('databaseLabel') + input('databaseCreation'),
};

/** Labels a second that one of each part carries, at the share of its cores that it is to use at peak. */
export const CARRIES = {
  worker: perSecond(CORE_MS.worker, input('workerCores') * input('podUse')),
  api: perSecond(CORE_MS.api, input('podUse')),
  branches: perSecond(CORE_MS.branches, input('podUse')),
  redisShard: perSecond(CORE_MS.redisShard, input('storeUse')),
  redisCommon: perSecond(CORE_MS.redisCommon, input('storeUse')),
  mongoShard: perSecond(CORE_MS.database, input('mongoCores') * input('storeUse')),
};

function perSecond(coreMs: number, cores: number): number {
  return (1_000 * cores) / coreMs;
}

export type Fleet = ReturnType<typeof fleetFor>;

/** Returns what a fleet for so many labels a second has, its traffic, and what it costs a month in USD. */
export function fleetFor(rate: number) {
  const cells = Math.ceil(rate / CARRIES.redisCommon);
  const redisShards = Math.max(cells, Math.ceil(rate / CARRIES.redisShard));
  const needed = (part: keyof typeof CARRIES, least: number) =>
    Math.max(least, Math.ceil(rate / CARRIES[part]));
  const pods = {
    workers: needed('worker', FEWEST * redisShards),
    apis: needed('api', FEWEST * cells),
    branches: needed('branches', FEWEST * cells),
    dashboards: FEWEST * cells,
  };
  const redis = (redisShards + cells) * REDIS_COPIES;
  const primaries = Math.max(FEWEST, Math.ceil((rate * CORE_MS.database) / 1_000 / input('storeUse')));
  const cores = {
    workers: pods.workers * input('workerCores'),
    apis: pods.apis,
    rest: pods.branches + pods.dashboards,
    redis,
    mongo: primaries * MONGO_COPIES,
  };
  const memory =
    pods.workers * input('workerMemory') +
    (pods.apis + pods.branches + pods.dashboards) * input('apiMemory') +
    redis * input('redisMemory') +
    cores.mongo * input('mongoMemory');
  const allCores = Object.values(cores).reduce((sum, one) => sum + one);
  const hourly = allCores * input('coreHour') + memory * input('gibHour');
  return {
    ...{ rate, cells, pods, redisShards, cores, allCores, memory },
    mongoShards: Math.ceil(primaries / input('mongoCores')),
    traffic: trafficOf(rate, redisShards),
    growth: growthOf(rate),
    usdAMonth: hourly * HOURS_A_MONTH + usdOfBytes(rate),
  };
}

/** In MB/s, and commands a second; labels are spread evenly over the shards. */
function trafficOf(rate: number, redisShards: number) {
  const ofRedis = (labels: number) => (labels * input('redisBytes')) / 1_000;
  return {
    redis: ofRedis(rate),
    ofOneRedis: ofRedis(rate / redisShards),
    commandsOfOneRedis: (rate / redisShards) * input('redisCommands'),
    customers: (rate * input('labelBytes')) / 1_000,
  };
}

function labelsADay(rate: number): number {
  return rate * input('averageLoad') * SECONDS_A_DAY;
}

/** Of each copy of MongoDB. */
function growthOf(rate: number) {
  const bytes = input('guideBytes') + input('guideIndexBytes');
  return { gbADay: (labelsADay(rate) * bytes) / 1e6, diskOperations: rate * input('iosPerGuide') };
}

/** A month of labels sent to customers, and of new guides on disk. */
function usdOfBytes(rate: number): number {
  const sentGb = (labelsADay(rate) * DAYS_A_MONTH * input('labelBytes')) / 1e6;
  const storedGb = growthOf(rate).gbADay * DAYS_A_MONTH * MONGO_COPIES;
  return sentGb * input('trafficGb') + storedGb * input('diskMonth');
}
