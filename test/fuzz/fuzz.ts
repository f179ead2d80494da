import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seedDemoData } from '#local/demo-data.ts';
import { cacheFolder } from '#local/folders.ts';
import { stopAllProcesses } from '#local/process/owned-process.ts';
import { generateSecrets } from '#local/secrets.ts';
import { SetupError } from '#local/setup-error.ts';
import { startSystem } from '#local/system.ts';
import { untilPipeBreaks } from '#shared/commands/broken-pipe.ts';
import { provideTestServers } from '#test/fixtures/test-servers.ts';
import { storeWhatIsAskedFor } from './asked-for.ts';

const HELP = `Usage: npm run fuzz [-- options of "schemathesis run"]

Starts the whole system on a database of its own and lets schemathesis make requests from the API's OpenAPI
document: no answer may be a 5xx, or one that the document does not allow; what the document allows is accepted, and
nothing else, but for the exceptions of test/fuzz/checks.py. It asks for guides, pick-ups and others that exist, then for
any, and plays as a test account. Ends with the exit code of the first of the three that fails.

  npm run fuzz -- --max-examples 1000    more requests an operation than the usual 100
`;
const VERSION = '4.32.5';
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'ignored_auth',
  'accepts_allowed',
  'refuses_others',
];

process.exitCode = await untilPipeBreaks(async () => {
  if (!process.argv.includes('--help')) return fuzz(process.argv.slice(2));
  process.stdout.write(HELP);
  return 0;
});

/** @returns the exit code of schemathesis. */
async function fuzz(options: string[]): Promise<number> {
  const say = (line: string) => process.stdout.write(`${line}\n`);
  try {
    const program = installSchemathesis(say);
    const servers = await provideTestServers(say);
    const mongoUri = new URL('/fuzz', servers.mongoUri).href;
    await seedDemoData(mongoUri);
    const { redisUrl, labelCacheUrl, chromiumPath, folder } = servers;
    const system = await startSystem({
      mongoUri,
      redisUrl,
      labelCacheUrl,
      chromiumPath,
      secrets: generateSecrets(),
      logFolder: folder,
      secretFolder: join(folder, 'secrets'),
    });
    try {
      const { fuzz, tester, parameters, testParameters } = await storeWhatIsAskedFor(
        system.addresses.api,
        mongoUri,
      );
      const url = `${system.addresses.api}/api/openapi.json`;
      const asUser = (token: string) => [url, '--header', `Authorization: Bearer ${token}`];
      const usual = ['--checks', CHECKS.join(), '--max-examples', '100', '--request-timeout', '20'];
      // It would end the token of all the others.
      const target = [...asUser(fuzz), '--exclude-operation-id', 'cerrarSesion'];
      const runs = [
        { configuration: parameters, target },
        { configuration: '', target: [...target, '--include-path-regex', '[{]'] },
        {
          configuration: testParameters,
          target: [...asUser(tester), '--include-operation-id', 'simularEventos'],
        },
      ];
      let first = 0;
      for (const [i, { configuration, target }] of runs.entries()) {
        const config = join(folder, `schemathesis-${i}.toml`);
        writeFileSync(config, configuration);
        const args = ['--config-file', config, 'run', ...target, ...usual, ...options];
        const code = await run(program, folder, args);
        first ||= code;
      }
      return first;
    } finally {
      await system.stop();
      await servers.close();
    }
  } catch (error) {
    process.stderr.write(`${error instanceof SetupError ? error.message : (error as Error).stack}\n`);
    return 1;
  } finally {
    await stopAllProcesses();
  }
}

/** In a Python environment of its own, in the cache folder; found there the next time. */
function installSchemathesis(say: (line: string) => void): string {
  const folder = join(cacheFolder, `schemathesis-${VERSION}`);
  const program = join(folder, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  say(`Installing schemathesis ${VERSION} from PyPI…`);
  const done =
    spawnSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' }).status === 0 &&
    spawnSync(join(folder, 'bin', 'pip'), ['install', '-q', `schemathesis==${VERSION}`], { stdio: 'inherit' })
      .status === 0;
  if (done) return program;
  rmSync(folder, { recursive: true, force: true });
  throw new SetupError(
    'npm run fuzz needs python3 (3.10 or newer) with venv and pip: install them and try again.',
  );
}

function run(program: string, cwd: string, args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, PYTHONPATH: import.meta.dirname, SCHEMATHESIS_HOOKS: 'checks' };
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
