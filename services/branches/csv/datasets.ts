import type { Branch } from '#shared/contracts/branch.ts';
import type { BranchStore, Coverage, OnProgress, Snapshot } from '../store/branch-store.ts';
import { branchTable, type CsvTable, coverageTable } from './csv-columns.ts';

/** What is imported and exported as a whole: the branches, or their coverage. */
export type Dataset<R, C extends string> = {
  table: CsvTable<R, C>;
  /** What is in force now. */
  loaded: readonly R[];
  load(records: readonly R[], onProgress: OnProgress): Promise<void>;
  /** Returns what the operator should know about records that are right. */
  warning(records: readonly R[]): string | undefined;
};

export function branchDataset(store: BranchStore, snapshot: Snapshot): Dataset<Branch, keyof Branch> {
  return {
    table: branchTable,
    loaded: snapshot.branches,
    load: (records, onProgress) => store.loadBranches(records, onProgress),
    warning: (records) => {
      const codes = new Set(records.map(({ Codigo }) => Codigo));
      const lost = snapshot.coverage.filter(({ code }) => !codes.has(code)).length;
      return lost === 0
        ? undefined
        : `Aviso: codigos postales sin cobertura, porque su sucursal no esta en el archivo: ${lost}`;
    },
  };
}

export function coverageDataset(
  store: BranchStore,
  snapshot: Snapshot,
): Dataset<Coverage, 'CodigoPostal' | 'Sucursal'> {
  return {
    table: coverageTable(new Set(snapshot.branches.map(({ Codigo }) => Codigo))),
    loaded: snapshot.coverage,
    load: (records, onProgress) => store.loadCoverage(records, onProgress),
    warning: () => undefined,
  };
}
