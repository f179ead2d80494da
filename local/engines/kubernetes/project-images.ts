import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repoRoot } from '../../folders.ts';
import { runToEnd } from '../../process/run-to-end.ts';
import type { Log } from '../../setup-error.ts';
import type { DockerEngine } from '../docker-engine.ts';
import { composeFiles } from '../stand-ins.ts';
import { type Cluster, loadImages } from './cluster.ts';
import { IMAGES } from './overlay.ts';
import { home } from './programs.ts';

const BUILT = IMAGES.map((name) => `guias/${name}:local`);
/** The images of the stores, by what Compose builds in their place where nothing can be pulled. */
const STORES = { mongo: 'guias/stand-in-mongo:latest', redis: 'guias/stand-in-redis:latest' };

/** On a node whose stores are stand-ins: there is no MongoDB's own server. */
export const STAND_INS_LABEL = 'guias/stand-in-stores=true';

/**
 * Builds the images of this checkout and puts them on the cluster's node, as `guias/…:local`, with those of the stores by
 * the names that k8s/small gives them.
 */
export async function loadProjectImages(cluster: Cluster, log: Log): Promise<void> {
  if (!cluster.own) return;
  const { node, engine } = cluster.own;
  const files = await composeFiles(engine, log);
  const standIns = files.length > 1;
  log('Building the images…');
  await compose(
    engine,
    files,
    'build',
    '--quiet',
    'api',
    'branches',
    'dashboard',
    'label-worker',
    'mongo-users',
  );
  await compose(
    engine,
    files,
    ...(standIns ? ['build', '--quiet'] : ['pull', '--quiet']),
    ...Object.keys(STORES),
  );
  log('Putting the images on the node (a minute)…');
  const stores = Object.entries(STORES).map(([name, standIn]) => {
    const image = imageOf(name);
    return [`docker.io/library/${image}`, standIns ? standIn : image];
  });
  const built = BUILT.map((name) => [`docker.io/${name}`, name]);
  await loadImages(cluster.own, Object.fromEntries([...stores, ...built]));
  if (standIns) await node.kubectl('label', 'node', 'node', STAND_INS_LABEL);
}

function compose({ env }: DockerEngine, files: string[], ...args: string[]): Promise<void> {
  return runToEnd({
    name: `docker compose ${args[0]}`,
    command: ['docker', 'compose', '--progress', 'plain', ...args],
    cwd: repoRoot,
    logFile: join(home, 'node/logs/compose.log'),
    env: { ...process.env, ...env, COMPOSE_PROJECT_NAME: 'guias-cluster', COMPOSE_FILE: files.join(':') },
  });
}

/** Returns the image of a store in k8s/small. */
function imageOf(store: string): string {
  const text = readFileSync(join(repoRoot, 'k8s/small', `${store}.yaml`), 'utf8');
  const set = parseAllDocuments(text)
    .find((each) => each.get('kind') === 'StatefulSet')
    ?.toJS();
  return set.spec.template.spec.containers[0].image;
}
