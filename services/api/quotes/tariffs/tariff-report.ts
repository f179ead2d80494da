import { type LineProblem, LineReport } from '#shared/commands/csv.ts';
import { TARIFF_FILES, type TariffFile } from './tariff-files.ts';

/** What is wrong in a file. Without a line it is wrong with the whole file, and told at its header. */
type FileProblem = Omit<LineProblem, 'line'> & { line?: number };

/** What is wrong with a tariff, by file and line. */
export class TariffReport {
  readonly errors = new FileReports();
  readonly warnings = new FileReports();

  error(file: TariffFile, problem: FileProblem): void {
    this.errors.add(file, problem);
  }

  warn(file: TariffFile, problem: FileProblem): void {
    this.warnings.add(file, problem);
  }
}

/** A report of lines for each file. */
class FileReports {
  readonly #reports = new Map<TariffFile, LineReport>();

  get count(): number {
    return [...this.#reports.values()].reduce((sum, { count }) => sum + count, 0);
  }

  add(file: TariffFile, problem: FileProblem): void {
    this.of(file).add({ line: 1, ...problem });
  }

  /** Returns the report of a file. */
  of(file: TariffFile): LineReport {
    const report = this.#reports.get(file) ?? new LineReport();
    this.#reports.set(file, report);
    return report;
  }

  /** Writes each file with its lines, in the order in which the files are documented. */
  toString(): string {
    return [...new Set([...TARIFF_FILES, ...this.#reports.keys()])]
      .flatMap((file) => {
        const report = this.#reports.get(file);
        return report && report.count > 0 ? [`${file}\n${report}`] : [];
      })
      .join('\n');
  }
}
