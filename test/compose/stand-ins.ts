import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '#local/programs/ensure-programs.ts';
import type { ComposeProject } from './compose-project.ts';

/** What each image must have, and how a stand-in for it is made of the program of this machine. */
const NEEDED = {
  caddy: {
    programs: ['caddy'],
    base: 'guias/setup:local',
    env: 'ENV XDG_DATA_HOME=/data XDG_CONFIG_HOME=/config',
  },
  backup: { programs: ['mongodump', 'mongorestore'], base: undefined, env: '' },
};

/**
 * Makes images for Caddy and for backups where those of docker-compose.yml cannot be had.
 *
 * @param folder for a Compose file with their names.
 * @returns that file, or undefined where every image is there.
 * @throws Error that names a program to put on the PATH.
 */
export async function standIns(project: ComposeProject, folder: string): Promise<string | undefined> {
  const config = await project.compose('--profile', '*', 'config', '--format', 'json');
  const { services } = JSON.parse(config) as { services: Record<string, { image: string }> };
  const images: Record<string, string> = {};
  for (const [service, { programs, base, env }] of Object.entries(NEEDED)) {
    const image = services[service]?.image ?? '';
    if (await has(project, image, programs)) continue;
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
    const path = findProgram(program);
    if (!path)
      throw new Error(`The image of docker-compose.yml cannot be pulled: put ${program} on the PATH.`);
    copyFileSync(path, join(folder, program));
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
