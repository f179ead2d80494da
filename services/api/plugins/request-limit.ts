import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DomainError } from '#shared/errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';

type Options = {
  prefix: string;
  /** What requests are counted by, such as `user`; part of the Redis key. */
  name: string;
  /** 0 is no limit. */
  perMinute: number;
  /** Returns whose request it is; a request without a key is not counted. */
  keyOf: (request: FastifyRequest) => string | undefined;
};

/**
 * Counts the requests of its scope over all API processes and refuses those beyond a limit a minute.
 *
 * Its hook throws DomainError `too-many-requests`, with the seconds to wait.
 */
export function requestLimit(redis: RedisClient, { prefix, name, perMinute, keyOf }: Options) {
  return fp(
    async (server: HttpServer) => {
      if (perMinute === 0) return;
      const keyPrefix = `${prefix}:requests-${name}`;
      const limiter = new RateLimiterRedis({
        storeClient: redis,
        keyPrefix,
        points: perMinute,
        duration: 60,
      });
      server.addHook('onRequest', async (request) => {
        const key = keyOf(request);
        if (key !== undefined) await limiter.consume(key).catch(refuse);
      });
    },
    { name: `request-limit-${name}` },
  );
}

/** @param reason the limiter's answer where the limit is reached, else the error of Redis. */
function refuse(reason: unknown): never {
  if (!(reason instanceof RateLimiterRes)) throw reason;
  const seconds = Math.max(1, Math.ceil(reason.msBeforeNext / 1_000));
  throw new DomainError('too-many-requests', { params: { seconds } });
}
