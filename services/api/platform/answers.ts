import fp from 'fastify-plugin';
import type { HttpServer } from '#shared/http/http-server.ts';
import { AnswerLog } from '#shared/stores/answer-log.ts';
import { openLabelCache } from '#shared/stores/redis.ts';
import type { RedisClient } from '#shared/stores/redis-client.ts';
import type { ApiOptions } from '../config.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** The Redis of the labels. */
    labelCache: RedisClient;
    answers: AnswerLog;
  }
}

/** Opens the Redis of the labels, where the last answers are kept for those who support customers. */
export const answersPlugin = fp(async (server: HttpServer, { config }: ApiOptions) => {
  const cache = openLabelCache(server, config.LABEL_CACHE_URL, config.REDIS_PREFIX);
  const answers = new AnswerLog(cache, config.REDIS_PREFIX, server.log);
  server.addHook('onClose', () => answers.write());
  server.decorate('labelCache', cache);
  server.decorate('answers', answers);
});
