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
    /** Machines request the route every few seconds, so its requests are logged at level debug only. */
    quiet?: boolean;
    /** The route has an objective (k8s/operations.md "Objectives"). Its metrics exist before the first request. */
    objective?: boolean;
  }
  interface FastifyInstance {
    /** The registry behind `/metrics`. */
    metrics: Registry;
  }
  interface FastifyRequest {
    /** The authenticated user of the API. */
    apiUser?: { readonly username: string };
    /** The request is the canary's: no figure of customers, metric of an objective or bill counts it. */
    ofCanary?: true;
    /** The `codigo` of an answer 4xx or 5xx. */
    failure?: string;
  }
}
