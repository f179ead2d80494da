import closeWithGrace from 'close-with-grace';
import { ConfigError } from '../config/load-config.ts';
import { createLogger, type Logger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { HttpServer } from './http-server.ts';

/** Shorter than the grace period of pods and containers (30 s). */
export const SHUTDOWN_MS = 20_000;

type ProcessConfig = Readonly<{ HOST: string; PORT: number; LOG_LEVEL: string }>;
type Listen = (server: HttpServer, address: { host: string; port: number }) => Promise<unknown>;

/**
 * Runs a service as this process, and closes it within 20 s of SIGTERM or SIGINT. A second signal ends the process at
 * once. A failed start or an uncaught error ends it with exit code 1.
 * @param name appears in every log line and trace.
 */
export async function runService<C extends ProcessConfig>(
  name: string,
  readConfig: () => C,
  build: (config: C, log: Logger, tracing?: Tracing) => Promise<HttpServer>,
  listen: Listen = (server, address) => server.listen(address),
): Promise<void> {
  try {
    const config = readConfig();
    const tracing = await startTracing(name, process.env);
    const log = createLogger(name, config.LOG_LEVEL, tracing);
    const server = await build(config, log, tracing);
    await listen(server, { host: config.HOST, port: config.PORT });
    closeWithGrace({ delay: SHUTDOWN_MS, logger: false }, async ({ err, signal }) => {
      if (err) log.fatal({ err }, 'An uncaught error closes the service');
      else log.info({ signal }, 'A signal closes the service');
      await server.close();
      await tracing?.close();
      log.info('The service is closed');
    });
  } catch (error) {
    const text = error instanceof ConfigError ? error.message : (error as Error).stack;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  }
}

/**
 * Starts tracing if `env` names an exporter or its address (OpenTelemetry specification, "Environment Variable
 * Specification"). Call it first, because what exists already is not traced. Services without tracing do not load the
 * SDK, which takes time and memory.
 */
async function startTracing(service: string, env: NodeJS.ProcessEnv): Promise<Tracing | undefined> {
  const exporter = env.OTEL_TRACES_EXPORTER;
  const asked = exporter || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT || env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!asked || exporter === 'none' || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const { startOpenTelemetry } = await import('../observability/open-telemetry.ts');
  return startOpenTelemetry(service, createLogger(service, 'warn'));
}
