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
  const processes = (part: keyof typeof CARRIES) => Math.max(FEWEST * cells, Math.ceil(rate / CARRIES[part]));
  const redisShards = Math.max(cells, Math.ceil(rate / CARRIES.redisShard));
  const pods = {
    workers: Math.max(FEWEST * redisShards, processes('worker')),
    apis: processes('api'),
    branches: processes('branches'),
    dashboards: FEWEST * cells,
  };
  const redis = (redisShards + cells) * REDIS_COPIES;
  const mongoCores = Math.max(FEWEST, Math.ceil((rate * CORE_MS.database) / 1_000 / input('storeUse')));
  const cores = {
    workers: pods.workers * input('workerCores'),
    apis: pods.apis,
    rest: pods.branches + pods.dashboards,
    redis,
    mongo: mongoCores * MONGO_COPIES,
  };
  const memory =
    pods.workers * input('workerMemory') +
    (pods.apis + pods.branches + pods.dashboards) * input('apiMemory') +
    redis * input('redisMemory') +
    mongoCores * MONGO_COPIES * input('mongoMemory');
  const traffic = {
    redis: (rate * input('redisBytes')) / 1_000,
    ofOneRedis: (rate / redisShards) * (input('redisBytes') / 1_000),
    customers: (rate * input('labelBytes')) / 1_000,
  };
  const guidesADay = rate * input('averageLoad') * SECONDS_A_DAY;
  const mongo = {
    shards: Math.ceil(mongoCores / input('mongoCores')),
    gbADay: (guidesADay * (input('guideBytes') + input('guideIndexBytes'))) / 1e6,
    ios: rate * input('iosPerGuide'),
  };
  const allCores = Object.values(cores).reduce((sum, one) => sum + one);
  const hourly = allCores * input('coreHour') + memory * input('gibHour');
  const sent = (guidesADay * DAYS_A_MONTH * input('labelBytes')) / 1e6;
  const usdAMonth =
    hourly * HOURS_A_MONTH +
    sent * input('trafficGb') +
    mongo.gbADay * DAYS_A_MONTH * MONGO_COPIES * input('diskMonth');
  return { rate, cells, pods, redisShards, cores, allCores, memory, traffic, mongo, usdAMonth };
}
