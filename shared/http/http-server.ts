import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Registry } from 'prom-client';

/** The server of every service, as `build-http-server.ts` makes it. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Asked for every few seconds by machines: logged at level debug only. */
    quiet?: boolean;
    /** Has an objective (k8s/operations.md "Objectives"): its metrics are there before the first request. */
    objective?: boolean;
  }
  interface FastifyInstance {
    /** What `/metrics` shows; whoever measures registers its metrics here. */
    metrics: Registry;
  }
  interface FastifyRequest {
    /** Who asks; set where the API authenticates. */
    apiUser?: { readonly username: string };
  }
}
