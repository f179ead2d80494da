import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Registry } from 'prom-client';

export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Requested every few seconds by machines: logged at level debug only. */
    quiet?: boolean;
    /** Has an objective (k8s/operations.md "Objectives"): its metrics exist before the first request. */
    objective?: boolean;
  }
  interface FastifyInstance {
    /** The registry behind `/metrics`. */
    metrics: Registry;
  }
  interface FastifyRequest {
    /** The authenticated user of the API. */
    apiUser?: { readonly username: string };
  }
}
