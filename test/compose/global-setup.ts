import { dockerAnswers } from '#test/fixtures/test-servers.ts';
import { ComposeProject } from './compose-project.ts';

/** Builds all images with the Docker Engine that answers. Where there is none, the run says so and fails. */
export default async function setup() {
  if (!dockerAnswers()) {
    process.stderr.write(
      'test:compose needs a Docker Engine: start one, or set DOCKER_HOST to one that runs.\n',
    );
    process.exit(1);
  }
  process.stdout.write('Building the images…\n');
  await new ComposeProject('guias').compose('--profile', 'operator', 'build');
}
