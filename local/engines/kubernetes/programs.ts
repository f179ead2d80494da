import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, keyOf } from '../../folders.ts';
import { withLock } from '../../process/lock.ts';
import { runToEnd } from '../../process/run-to-end.ts';
import { findProgram } from '../../programs/ensure-programs.ts';
import { type Log, SetupError } from '../../setup-error.ts';

/** Kubernetes' own programs, built from Go modules: no registry of images and no site of releases is needed. */

// Raise the number when the steps that make the node's root change: another is made, and the old one is left alone.
export const home = join(cacheFolder, 'kubernetes-1');

type Program = { name: string; module: string; package: string };

const kubernetes = (name: string): Program => ({
  name,
  module: 'kubernetes-programs',
  package: `k8s.io/kubernetes/cmd/${name}`,
});
/** What answers to `kubectl apply` by itself: schemas, admission and storage, without a node. */
const API_SERVER: Program[] = [
  { name: 'etcd', module: 'kubernetes-programs', package: 'go.etcd.io/etcd/server/v3' },
  kubernetes('kube-apiserver'),
  kubernetes('kubectl'),
];
const NODE: Program[] = [
  ...['kube-controller-manager', 'kube-scheduler', 'kubelet', 'kube-proxy'].map(kubernetes),
  { name: 'coredns', module: 'coredns', package: '.' },
];

const sources = (module: string) => join(import.meta.dirname, module);
const goMod = readFileSync(join(sources('kubernetes-programs'), 'go.mod'), 'utf8');
const version = /k8s\.io\/kubernetes (v[\d.]+)/.exec(goMod)?.[1] ?? '';

/** Holds the programs. Other versions get another folder: an old program is never used for them. */
export const programsFolder = join(
  home,
  `programs-${keyOf(['kubernetes-programs', 'coredns'].map((each) => readFileSync(join(sources(each), 'go.sum'))).join())}`,
);

/** Tells whether an api server can be started without building anything. */
export function apiServerIsBuilt(): boolean {
  return missing(API_SERVER).length === 0;
}

/** Builds the programs that are missing. @throws SetupError where there is no Go. */
export async function prepareKubernetesPrograms(log: Log): Promise<void> {
  const all = [...API_SERVER, ...NODE];
  if (missing(all).length === 0) return;
  if (!findProgram('go')) {
    throw new SetupError(
      'No Kubernetes: set KUBECONFIG to a cluster, or install Go 1.24 or newer to build one.',
    );
  }
  await withLock('kubernetes-programs', log, async () => {
    const rest = missing(all);
    log(`Building Kubernetes ${version} from Go modules into ${programsFolder}, once for this user.`);
    log('It takes about 25 minutes on two cores, more than half of them for the first two programs…');
    mkdirSync(programsFolder, { recursive: true });
    for (const [index, program] of rest.entries()) {
      log(`Building ${program.name} (${index + 1} of ${rest.length})…`);
      await build(program);
    }
  });
}

const pathOf = ({ name }: Program) => join(programsFolder, name);

function missing(programs: Program[]): Program[] {
  return programs.filter((program) => !existsSync(pathOf(program)));
}

/** Builds a program, which gets its name only when it is whole. */
async function build(program: Program): Promise<void> {
  const partial = `${pathOf(program)}.partial`;
  // Without these, kubectl and the api server take each other for 0.0.
  const [major, minor] = version.slice(1).split('.');
  const variables = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  await runToEnd({
    name: `go build (${program.name})`,
    command: [
      'go',
      'build',
      '-buildvcs=false',
      '-ldflags',
      ['-s -w', ...flags].join(' '),
      '-o',
      partial,
      program.package,
    ],
    cwd: sources(program.module),
    logFile: join(home, 'programs.log'),
    env: { ...process.env, CGO_ENABLED: '0' }, // they then need no library of the node's root
  });
  renameSync(partial, pathOf(program));
}
