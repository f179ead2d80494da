import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '#local/programs/ensure-programs.ts';
import type { ComposeProject } from './compose-project.ts';

/** What each image must have, and how a stand-in for it is made of the program of this machine, which `source` has. */
const NEEDED = {
  caddy: {
    programs: ['caddy'],
    base: 'guias/setup:local',
    env: 'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config',
    source: 'apt-get install caddy, or https://caddyserver.com/download',
  },
  backup: {
    programs: ['mongodump', 'mongorestore'],
    base: undefined,
    env: '',
    source:
      'https://www.mongodb.com/try/download/database-tools, or in a clone of github.com/mongodb/mongo-tools: CGO_ENABLED=0 go build -o /usr/local/bin/mongodump ./mongodump/main, and the same for mongorestore',
  },
};

/** Names what a run lacks for the profiles tls and backup, and where it is; empty where nothing is missing. */
export async function describeMissing(project: ComposeProject): Promise<string> {
  const wanted = await stoodFor(project);
  return wanted
    .flatMap(({ image, programs, source }) => {
      const missing = programs.filter((program) => !findProgram(program));
      if (missing.length === 0) return [];
      return `The image ${image} cannot be pulled: put ${missing.join(' and ')} on the PATH (${source}).`;
    })
    .join('\n');
}

/**
 * Makes images for Caddy and for backups where those of docker-compose.yml cannot be had.
 *
 * @param folder for a Compose file with their names.
 * @returns that file, or undefined where every image is there.
 * @throws Error that names all programs to put on the PATH.
 */
export async function standIns(project: ComposeProject, folder: string): Promise<string | undefined> {
  const missing = await describeMissing(project);
  if (missing) throw new Error(missing);
  const images: Record<string, string> = {};
  for (const { service, image, programs, base, env } of await stoodFor(project)) {
    images[service] = `guias-test/${service}:local`;
    await build(project, join(folder, service), images[service], programs, base ?? image, env);
  }
  if (Object.keys(images).length === 0) return undefined;
  if (images.backup) images.restore = images.backup;
  const file = join(folder, 'stand-ins.json');
  const overrides = Object.entries(images).map(([name, image]) => [name, { image }]);
  writeFileSync(file, JSON.stringify({ services: Object.fromEntries(overrides) }));
  return file;
}

/** Returns the services whose images cannot be had. */
async function stoodFor(project: ComposeProject) {
  const config = await project.compose('--profile', '*', 'config', '--format', 'json');
  const { services } = JSON.parse(config) as { services: Record<string, { image: string }> };
  const all = Object.entries(NEEDED).map(async ([service, needed]) => {
    const image = services[service]?.image ?? '';
    return (await has(project, image, needed.programs)) ? [] : [{ service, image, ...needed }];
  });
  return (await Promise.all(all)).flat();
}

/** Tells whether the image is there, or can be pulled, and has the programs. */
async function has(project: ComposeProject, image: string, programs: string[]): Promise<boolean> {
  const look = ['run', '--rm', '--network', 'none', '--entrypoint', 'sh', image, '-c'];
  const found = await project.docker(...look, `command -v ${programs.join(' ')} || true`).catch(() => '');
  return found.split('\n').length === programs.length && found !== '';
}

async function build(
  project: ComposeProject,
  folder: string,
  tag: string,
  programs: string[],
  base: string,
  env: string,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  for (const program of programs) {
    copyFileSync(findProgram(program) ?? '', join(folder, program));
  }
  // `wget` is for Caddy's health check. Node stands in for it.
  const wget =
    '#!/usr/bin/env node\\nfetch(process.argv.at(-1)).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))\\n';
  const lines = [
    `FROM ${base}`,
    'USER root',
    `COPY ${programs.join(' ')} /usr/local/bin/`,
    ...(env ? [env, `RUN printf '${wget}' > /usr/local/bin/wget && chmod 755 /usr/local/bin/wget`] : []),
  ];
  writeFileSync(join(folder, 'Dockerfile'), `${lines.join('\n')}\n`);
  await project.docker('build', '--network', 'host', '--tag', tag, folder);
}
