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
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { provideTestServers } from '#test/fixtures/test-servers.ts';

const HELP = `Usage: npm run fuzz [-- options of "schemathesis run"]

Starts the whole system on a database of its own and lets schemathesis make requests from the API's OpenAPI
document: no answer may be a 5xx, or one that the document does not allow; what the document allows is accepted, and
nothing else, but for the exceptions of test/fuzz/checks.py. Ends with its exit code.

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
      const demo = await Client.login(system.addresses.api);
      const [guide, cancelled] = await demo.created(minimalGuide(), minimalGuide());
      const config = join(folder, 'schemathesis.toml');
      writeFileSync(config, configuration(guide?.SEND_GUIA, cancelled?.SEND_GUIA));
      const usual = ['--checks', CHECKS.join(), '--max-examples', '100', '--request-timeout', '20'];
      const target = [
        `${system.addresses.api}/api/openapi.json`,
        '--header',
        `Authorization: Bearer ${demo.token}`,
        // It would end the token of all the others.
        '--exclude-operation-id',
        'cerrarSesion',
      ];
      return await run(program, folder, ['--config-file', config, 'run', ...target, ...usual, ...options]);
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

/** Requests ask for a guide that exists; another one is cancelled, or its labels would be refused from then on. */
function configuration(guide = '', cancelled = ''): string {
  return `[parameters]
"path.guia" = "${guide}"

[[operations]]
include-operation-id = "cancelarGuia"
parameters = { "path.guia" = "${cancelled}" }
`;
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
