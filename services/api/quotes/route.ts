import { Type } from 'typebox';
import { inTurns } from '#shared/async/in-turns.ts';
import { toWarnings } from '#shared/http/http-errors.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { appliedHeader, GUIDE_ERRORS, lenientHeader, sentRequest } from '../guides/guide-bodies.ts';
import { operation } from '../http/operation.ts';
import { WARNINGS } from '../http/schemas.ts';
import type { QuotesContext } from './open.ts';
import { toOption } from './quote.ts';
import QUOTE_EXAMPLE from './quote-example.json' with { type: 'json' };
import { quoteGuides } from './quote-guides.ts';
import { QuoteAnswer, QuoteRequest } from './schemas.ts';

const quotation = operation({
  id: 'cotizarGuias',
  tag: 'Guias',
  summary: 'Cotizar envíos',
  description:
    'Qué cuesta cada envío, por qué, y cuándo llega. El precio obliga hasta `Vence`: una guía que se crea con la `Cotizacion` cuesta eso, aunque la tarifa cambie. No guarda nada, y no cuenta en la cuota de guías.',
  permission: 'guias.quote',
  action: 'quote',
  // Some twenty guides, of which two quotes each are signed.
  largeBytes: 2_048,
  request: { body: QuoteRequest, headers: Type.Object({ prefer: lenientHeader }) },
  validatedBy: 'handler',
  errors: [
    ...GUIDE_ERRORS.filter((code) => code !== 'service-type-missing'),
    'no-tariff',
    'parcel-too-large',
  ],
  data: {
    name: 'Cotizaciones',
    message: (quotes) => `Cotizaciones: ${quotes.length}`,
    schema: Type.Array(QuoteAnswer),
    beside: WARNINGS,
    headers: appliedHeader,
    // Computed from the demo tariff: `UPDATE_DOCS=1 npm test -- test/api/quotes/quote-example` writes it.
    example: [QUOTE_EXAMPLE as QuoteAnswer],
  },
});

/** `POST /api/guias/cotizar` (docs/contract.md "Quotes"). */
export function quoteRoute(server: HttpServer, context: QuotesContext): void {
  const { localTime, quoteTokens, errorTable } = context;
  server.post('/api/guias/cotizar', quotation, async (request, reply) => {
    const { guides, warnings } = await quoteGuides(context, sentRequest(request, reply));
    const { account } = apiUser(request);
    const answers = await inTurns(guides, ({ origin, destination, quotes }, indice) => ({
      indice,
      SEND_SUCU_ORIG: origin.Codigo,
      SEND_SUCU_DEST: destination.branch.Codigo,
      Opciones: quotes.map((quote) => toOption(quote, quoteTokens.sign(account, quote), localTime)),
    }));
    return { ...quotation.ok(answers), ...toWarnings(errorTable, warnings) };
  });
}
