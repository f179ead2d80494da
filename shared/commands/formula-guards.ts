/** What a spreadsheet would run (https://owasp.org/www-community/attacks/CSV_Injection), full-width forms included. */
const FORMULA = /(^|;)([\s"']*[=+\-@\t\r＝＋－＠])/g;
const GUARDED_FORMULA = /(^|;)'([\s"']*[=+\-@\t\r＝＋－＠])/g;

/**
 * Puts an apostrophe before formulas at the beginning of a cell or after a `;`, which may begin another cell. An
 * existing apostrophe gets a second one, so that `readGuardedRows` restores every cell. `escape_formulas` of
 * csv-stringify does not.
 */
export function addFormulaGuards(cell: string): string {
  return cell.replace(FORMULA, "$1'$2");
}

export function removeFormulaGuards(cell: string): string {
  return cell.replace(GUARDED_FORMULA, '$1$2');
}
