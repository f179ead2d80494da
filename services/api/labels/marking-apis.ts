import { DomainError } from '#shared/errors/domain-error.ts';
import { aliveServices } from '#shared/stores/heartbeat.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

/**
 * Refuses a guide whose label needs marks while an api runs that knows none. While Redis is away nobody knows, and nobody prints.
 *
 * @throws DomainError `no-marks`.
 */
export async function requireMarkingApis(redis: RedisClient, prefix: string): Promise<void> {
  const services = await aliveServices(redis, prefix).catch(() => []);
  if (services.some(({ service, marks }) => service === 'api' && !marks)) throw new DomainError('no-marks');
}
