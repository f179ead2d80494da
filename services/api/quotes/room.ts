import type { ErrorCode } from '#shared/errors/domain-error.ts';
import { MAX_QUOTE_LENGTH } from '#shared/guides/guide.ts';
import { quotesData } from '#shared/quotes/room.ts';
import { accounts } from '../accounts/room.ts';
import { branches } from '../branches/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { readableJson } from '../http/tables.ts';
import { calculatorRoutes } from './calculator/routes.ts';
import { quoteErrors } from './errors.ts';
import { openQuotes } from './open.ts';
import QUOTE_EXAMPLE from './quote-example.json' with { type: 'json' };
import { quoteRoute } from './route.ts';

/** Of guides that are to be created, with quotes or without. */
const REFUSALS: readonly ErrorCode[] = [
  'quote-missing',
  'quote-invalid',
  'quote-expired',
  'quote-withdrawn',
  'quote-different',
];

/**
 * Three words:
 *
 * - `Price`: what a parcel costs by a tariff, line by line (tariffs/price.ts).
 * - `Quote`: a price that binds the carrier until it expires. It travels as the text `Cotizacion` (quote.ts).
 * - `GuidePrice`: what a guide keeps of its quote (shared/guides/guide-price.ts).
 */
export const quotes = defineRoom({
  data: quotesData,
  needs: [accounts, branches, guides],
  errors: quoteErrors,
  personalData: 'none',
  changes: 'none',
  adds: { errors: { crearGuias: REFUSALS, validarGuias: REFUSALS } },
  open: openQuotes,
  openRoutes: [calculatorRoutes],
  routes: [quoteRoute],
  manualValues: quoteValues,
});

function quoteValues() {
  return {
    maxCotizacion: MAX_QUOTE_LENGTH,
    ejemploDeCotizacion: `\`\`\`\n${readableJson(QUOTE_EXAMPLE)}\n\`\`\``,
  };
}
