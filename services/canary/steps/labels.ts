import { KINDS, type LabelKind } from '#shared/labels/label-kinds.ts';
import type { Format } from '#shared/labels/label-payload.ts';
import { type Customer, unexpected } from '../http/customer.ts';
import type { Answer } from '../http/exchange.ts';
import { findMistake } from '../reading/label-check.ts';
import type { Reader } from '../reading/reader.ts';
import type { MadeGuide } from './guides.ts';
import { DEADLINE_MS } from './time-limits.ts';

/** A label as it is asked for. */
export type Form = { kind: LabelKind; format: Format };

/** @throws UnexpectedAnswer, CredentialRefused */
export function printLabel(
  customer: Customer,
  { kind, format }: Form,
  { number }: MadeGuide,
): Promise<Answer> {
  const path = `/api/guias/${KINDS[kind].path}/${number}?formato=${format}`;
  return customer.send({ path, deadlineMs: DEADLINE_MS.print });
}

/** Reads a print. @throws UnexpectedAnswer where it is not the label of this guide. */
export async function requireLabel(
  reader: Reader,
  { kind, format }: Form,
  guide: MadeGuide,
  print: Answer,
): Promise<void> {
  const code = KINDS[kind].pagePerPackage ? `${guide.number}-01` : guide.number;
  const reading = await reader[format](print.body).catch(() => undefined);
  const wrong = reading ? findMistake(reading, { ...guide, code }) : 'no se puede abrir';
  if (wrong !== undefined) throw unexpected(wrong, print);
}
