import { execFileSync } from 'node:child_process';
import { SetupError } from '../setup-error.ts';
import { updatePackageLists } from './ensure-programs.ts';

/** Returns the mirror of this machine's own packages; apt-get knows it only once it has its lists. */
export async function debianMirror(): Promise<string> {
  const command = ['indextargets', '--format', '$(REPO_URI)', 'ORIGIN: Debian', 'LABEL: Debian'];
  const first = () => execFileSync('apt-get', command, { encoding: 'utf8' }).split('\n')[0];
  const known = first();
  if (known) return known;
  await updatePackageLists();
  const mirror = first();
  if (mirror) return mirror;
  throw new SetupError('apt-get knows no Debian mirror: add one to /etc/apt/sources.list.');
}
