import type { FieldSpec, Section, Values } from '../one/form.ts';
import { SECTIONS, SERVICE } from './fields.ts';
import type { Row } from './rows.ts';

/** What a file does not say of its guides because all of them have it in common: who sends them, or what they weigh. */

const SENDER = 'Remitente.';
const SENDER_NAME = 'Remitente.Nombre';
/** What is often the same in all rows, beside the sender. */
const OFTEN_SAME = /^Producto\.(?:Contenido|Peso|Largo|Alto|Ancho)$/;

/** What every guide needs; of several fields, one. */
const REQUIRED: readonly (readonly FieldSpec[])[] = SECTIONS.filter(({ required }) => required).flatMap(
  ({ fields }) => {
    const alternatives = fields.filter(({ isAlternative }) => isAlternative);
    const each = fields.filter(({ required }) => required).map((field) => [field]);
    return alternatives.length > 0 ? [...each, alternatives] : each;
  },
);

export type Asked = {
  /** The fields that are asked for, each because some row lacks it. */
  sections: readonly Section[];
  isServiceAsked: boolean;
  /** What every guide needs and no row has. */
  required: readonly (readonly FieldSpec[])[];
};

/** Returns what is asked for once in place of in each row. */
export function askedOf(rows: readonly Row[]): Asked {
  const counts = new Map<string, number>();
  for (const { cells } of rows)
    for (const path of Object.keys(cells)) counts.set(path, (counts.get(path) ?? 0) + 1);
  const required = REQUIRED.filter(
    (fields) => rows.length > 0 && !fields.some(({ path }) => counts.has(path)),
  );
  const isAsked = (field: FieldSpec) =>
    (counts.get(field.path) ?? 0) < rows.length &&
    (field.path.startsWith(SENDER) || OFTEN_SAME.test(field.path) || required.flat().includes(field));
  const sections = SECTIONS.map((section) => ({
    ...section,
    fields: section.fields
      .filter(isAsked)
      .map((field) => ({ ...field, required: field.required && required.flat().includes(field) })),
  })).filter(({ fields }) => fields.length > 0);
  return { sections, isServiceAsked: (counts.get(SERVICE) ?? 0) < rows.length, required };
}

/** Returns of what was filled in that which is asked for. */
export function answersTo({ sections, isServiceAsked }: Asked, values: Values): Values {
  const asked = new Set(sections.flatMap(({ fields }) => fields.map(({ path }) => path)));
  if (isServiceAsked) asked.add(SERVICE);
  return Object.fromEntries(
    Object.entries(values).filter(([path, text]) => asked.has(path) && text.trim() !== ''),
  );
}

/** Puts answers into the cells that a row lacks. A row with a sender of its own gets nothing of the other one. */
export function withAnswers(row: Row, answers: Values): Row {
  const hasOwnSender = row.cells[SENDER_NAME] !== undefined && answers[SENDER_NAME] !== undefined;
  const filled = hasOwnSender
    ? Object.entries(answers).filter(([path]) => !path.startsWith(SENDER))
    : Object.entries(answers);
  return { ...row, cells: { ...Object.fromEntries(filled), ...row.cells } };
}
