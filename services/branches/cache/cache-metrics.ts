import { Counter, Histogram, type Registry } from 'prom-client';

/** Registers the metrics of a process's branch cache. */
export function createCacheMetrics(metrics: Registry) {
  const registers = [metrics];
  const lookups = new Counter({
    name: 'branch_cache_lookups_total',
    help: 'Reads of the branch cache; a miss is a cold cache, not an unknown branch',
    labelNames: ['result'],
    registers,
  });
  const rebuilds = new Counter({
    name: 'branch_cache_rebuilds_total',
    help: 'Rebuilds of the branch cache from the database by this process',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['hit', 'miss']) lookups.inc({ result }, 0);
  for (const result of ['ok', 'failed']) rebuilds.inc({ result }, 0);
  const rebuildSeconds = new Histogram({
    name: 'branch_cache_rebuild_seconds',
    help: 'Duration of a successful rebuild, from the first read to the last write',
    buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10],
    registers,
  });
  return { lookups, rebuilds, rebuildSeconds };
}
