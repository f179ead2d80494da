/** What a spreadsheet would run (https://owasp.org/www-community/attacks/CSV_Injection), full-width forms included. */
const FORMULA = /(^|;)([\s"']*[=+\-@\t\r＝＋－＠])/g;
const GUARDED_FORMULA = /(^|;)'([\s"']*[=+\-@\t\r＝＋－＠])/g;

/**
 * Puts an apostrophe before whatever a spreadsheet would run as a formula: at the beginning of a cell, and after a `;`,
 * where a spreadsheet that separates by `;` begins another cell. An apostrophe that is there already gets one before it,
 * so that `removeFormulaGuards` gives every cell back as it was. (csv-stringify's `escape_formulas` does not.)
 */
export function addFormulaGuards(cell: string): string {
  return cell.replace(FORMULA, "$1'$2");
}

/** Takes exactly the apostrophes away that `addFormulaGuards` puts. */
export function removeFormulaGuards(cell: string): string {
  return cell.replace(GUARDED_FORMULA, '$1$2');
}
