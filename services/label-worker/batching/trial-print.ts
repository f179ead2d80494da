import { printBody, renderLabel } from '../label/render-label.ts';
import { sample } from '../label/template-files/sample-labels.ts';
import { split } from '../pdf/split.ts';

/** A letter of ours, whose print tells whether Chromium shows text. */
const label = renderLabel(sample());

export const TRIAL = {
  body: printBody(label.kind, [label]),
  /** @throws MissingTextError */
  check: (print: Uint8Array): void => void split(print, [label]),
};
