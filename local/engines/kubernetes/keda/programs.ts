import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { withLock } from '#local/process/lock.ts';
import { runToEnd } from '#local/process/run-to-end.ts';
import { findProgram } from '#local/programs/ensure-programs.ts';
import { type Log, SetupError } from '#local/setup-error.ts';
import { home } from '../programs.ts';

/**
 * KEDA's operator and its server of metrics, built from its Go module with the scaler for Prometheus alone: the others
 * bring the libraries of every cloud.
 */

const MODULE = 'github.com/kedacore/keda/v2@v2.21.0';
/** Go's checksum of the module: another source is not built. */
const SUM = 'h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=';
/** The programs by the folder of their source. */
const PROGRAMS = { operator: 'keda-operator', adapter: 'keda-adapter' };
const KEPT_SCALERS = ['prometheus_scaler.go', 'scaler.go'];

export const kedaFolder = join(home, 'keda-2.21.0');
/** The definitions of KEDA's kinds. */
export const kedaDefinitions = join(kedaFolder, 'source/config/crd/bases');

const missing = () => Object.entries(PROGRAMS).filter(([, name]) => !existsSync(join(kedaFolder, name)));

/** Builds KEDA where it is not built yet. @throws SetupError where there is no Go. */
export async function prepareKeda(log: Log): Promise<void> {
  if (missing().length === 0) return;
  if (!findProgram('go')) throw new SetupError('No KEDA: install Go 1.26 or newer to build it.');
  await withLock('keda-programs', log, async () => {
    const rest = missing();
    log(`Building KEDA from Go modules into ${kedaFolder}, once for this user: ten minutes on two cores…`);
    const source = fetchSource();
    for (const [program, name] of rest) {
      const partial = join(kedaFolder, `${name}.partial`);
      await runToEnd({
        name: `go build (${name})`,
        command: [
          'go',
          'build',
          '-buildvcs=false',
          '-mod=mod',
          '-ldflags',
          '-s -w',
          '-o',
          partial,
          `./cmd/${program}`,
        ],
        cwd: source,
        logFile: join(kedaFolder, 'build.log'),
        env: { ...process.env, CGO_ENABLED: '0' },
      });
      renameSync(partial, join(kedaFolder, name));
    }
  });
}

/** Copies the module's source, and takes out what is not needed. @returns its folder. */
function fetchSource(): string {
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  const { Dir, Sum } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', MODULE], options));
  if (Sum !== SUM) throw new SetupError(`${MODULE} is not what it was: its checksum is ${Sum}, not ${SUM}.`);
  const source = join(kedaFolder, 'source');
  rmSync(source, { recursive: true, force: true });
  mkdirSync(kedaFolder, { recursive: true });
  cpSync(Dir, source, { recursive: true });
  execFileSync('chmod', ['-R', 'u+w', source]);
  const scalers = join(source, 'pkg/scalers');
  for (const { name } of readdirSync(scalers, { withFileTypes: true }).filter((entry) => entry.isFile()))
    if (!KEPT_SCALERS.includes(name)) rmSync(join(scalers, name));
  // A constant that is in the file of another scaler.
  const scaler = join(scalers, 'scaler.go');
  if (!readFileSync(scaler, 'utf8').includes('externalMetricType'))
    appendFileSync(scaler, '\nconst externalMetricType = "External"\n');
  const builder = join(source, 'pkg/scaling/scalers_builder.go');
  const known = `if triggerType == "prometheus" {
		return scalers.NewPrometheusScaler(config)
	}
	return nil, fmt.Errorf("no scaler found for type: %s", triggerType)
	`;
  const text = readFileSync(builder, 'utf8');
  writeFileSync(
    builder,
    text.replace(/\/\/ TRIGGERS-START.*(?=\/\/ TRIGGERS-END)/s, () => known),
  );
  return source;
}
