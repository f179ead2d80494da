import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type OwnedProcess, type ProcessOptions, startProcess } from '../process/owned-process.ts';
import { waitUntilReady } from '../process/wait-until-ready.ts';
import { insideRoot, postgresPrograms } from './documentdb-root.ts';

/**
 * Starts PostgreSQL with DocumentDB on `/docdb/<name>/data` of the root. It listens on a socket in `/docdb/<name>`, which
 * only its own user may enter: trusting every connection therefore trusts nobody else.
 */
export async function startPostgres(
  where: { root: string; name: string; durable: boolean },
  options: Omit<ProcessOptions, 'name' | 'command'>,
): Promise<OwnedProcess> {
  const { root, name, durable } = where;
  const folder = `/docdb/${name}`;
  const server = startProcess({
    ...options,
    name: 'PostgreSQL',
    stopSignal: durable ? 'SIGINT' : 'SIGQUIT', // "fast", or "immediate", without a last checkpoint
    stopTimeoutMs: 30_000,
    command: insideRoot(
      root,
      `${postgresPrograms}/postgres`,
      ...['-D', `${folder}/data`],
      ...settings(folder, durable),
    ),
  });
  const pidFile = join(root, folder, 'data', 'postmaster.pid');
  await waitUntilReady(server, async () => isReady(pidFile, server), 30_000);
  return server;
}

function settings(folder: string, durable: boolean): string[] {
  const values = {
    // Without this library an index cannot give documents in its order, as MongoDB's do: every sort would read all.
    'documentdb.alternate_index_handler_name': 'extended_rum',
    shared_preload_libraries: 'pg_cron,pg_documentdb_core,pg_documentdb,pg_documentdb_extended_rum',
    'cron.database_name': 'postgres',
    'cron.host': folder,
    'cron.use_background_workers': 'on',
    'cron.log_run': 'off',
    'cron.log_statement': 'off',
    'documentdb.localhost_connection_string': `host=${folder}`,
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '100',
    shared_buffers: '256MB',
    log_checkpoints: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** PostgreSQL writes its pid in the first line of the file and its state in the eighth. */
function isReady(pidFile: string, { pid }: OwnedProcess): boolean {
  const lines = readFileSync(pidFile, 'utf8').split('\n');
  return lines[0] === String(pid) && lines[7]?.trim() === 'ready';
}
