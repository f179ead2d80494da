import type { Static } from 'typebox';
import { isShort } from '#shared/branches/branch-store.ts';
import { number } from '#shared/pages/format.ts';
import type { DatasetReport } from '#shared/stores/heartbeat.ts';
import type { SystemState } from '../system-state.ts';
import { BY_BRANCHES, type Diagnosis, grave, warning } from './diagnosis.ts';

type Dataset = Static<typeof DatasetReport>;

/**
 * Names a directory of branches and postal codes that was never loaded, or has lost rows. Each process counts for itself, so the
 * lowest count is said.
 */
export function* diagnoseDirectory({ services }: SystemState): Generator<Diagnosis> {
  const reports = services.flatMap(({ directory }) => directory ?? []);
  if (reports.length === 0) return;
  const branches = fewest(reports.map((one) => one.branches));
  const coverage = fewest(reports.map((one) => one.coverage));
  if (!branches) {
    const text = 'Nunca se cargaron sucursales: no se puede crear ninguna guía';
    yield { ...warning('directory-empty', 'directoryincomplete', text), causes: ['canary'] };
    return;
  }
  const short = [
    ...(isShort(branches) ? [`${countsOf(branches)} sucursales`] : []),
    ...(coverage && isShort(coverage) ? [`${countsOf(coverage)} códigos postales con cobertura`] : []),
  ];
  if (short.length === 0) return;
  const text = `MongoDB perdió filas del directorio: quedan ${short.join(' y ')}`;
  yield { ...grave('directory-short', 'directoryincomplete', text), causes: [...BY_BRANCHES, 'canary'] };
}

function fewest(datasets: readonly (Dataset | undefined)[]): Dataset | undefined {
  const loaded = datasets.filter((dataset) => dataset !== undefined);
  return loaded.sort((one, other) => one.found - other.found)[0];
}

function countsOf({ found, rows }: Dataset): string {
  return rows === undefined ? number(found) : `${number(found)} de ${number(rows)}`;
}
