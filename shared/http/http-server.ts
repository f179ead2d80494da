import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { Registry } from 'prom-client';
import type { Dependencies } from './dependencies.ts';
import type { Startup } from './startup.ts';

/** The server of every service, as `buildHttpServer` makes it. */
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
    /** What the health pages and `dependency_up` ask; whoever opens a connection adds it here. */
    dependencies: Dependencies;
    /** What is done once when the service starts, and again until it succeeds. */
    startup: Startup;
  }
  interface FastifyRequest {
    /** Who asks; set where the API authenticates. */
    apiUser?: { readonly username: string };
  }
}
