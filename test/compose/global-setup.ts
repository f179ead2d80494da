import { dockerAnswers } from '#test/fixtures/test-servers.ts';
import { ComposeProject } from './compose-project.ts';
import { describeMissing } from './stand-ins.ts';

/**
 * Builds all images with the Docker Engine that answers. Where there is none, the run says so and fails. What
 * production.compose.ts lacks is said before the first test, which takes minutes.
 */
export default async function setup() {
  if (!dockerAnswers()) {
    process.stderr.write(
      'test:compose needs a Docker Engine: start one, or set DOCKER_HOST to one that runs.\n',
    );
    process.exit(1);
  }
  process.stdout.write('Building the images…\n');
  const project = new ComposeProject('guias');
  await project.compose('--profile', 'operator', 'build');
  const missing = await describeMissing(project);
  if (missing) process.stderr.write(`production.compose.ts will fail. ${missing}\n`);
}
