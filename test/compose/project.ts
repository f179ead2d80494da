import { test as base } from 'vitest';
import { freePort } from '#local/process/free-port.ts';
import { ComposeProject } from './compose-project.ts';

/** The system of docker-compose.yml, from nothing and with the demo data, in a project of the file's own. */
export const test = base
  .extend('ports', { scope: 'file' }, async () => ({
    API_PORT: `${await freePort()}`,
    DASHBOARD_PORT: `${await freePort()}`,
    PROMETHEUS_PORT: `${await freePort()}`,
    GRAFANA_PORT: `${await freePort()}`,
  }))
  .extend('project', { scope: 'file' }, async ({ ports }, { onCleanup }) => {
    const name = `guias-test-${process.pid}`;
    const project = new ComposeProject(name, { ...ports, DEMO: '1' });
    onCleanup(async () => void (await project.compose('down', '--volumes')));
    return project;
  })
  /** Seconds from nothing until every container is healthy. */
  .extend('startSeconds', { scope: 'file' }, async ({ project }) => {
    const started = performance.now();
    await project.compose('up', '--wait', '--detach', '--no-build');
    return (performance.now() - started) / 1_000;
  })
  .extend('url', { scope: 'file' }, ({ startSeconds, ports }) => {
    if (!startSeconds) throw new Error('It does not run');
    return `http://127.0.0.1:${ports.API_PORT}`;
  });
