import type { HttpServer } from '#shared/http/http-server.ts';
import { pageErrorHandler, sendPage, sendStyle, visitLimit } from '../../http/public-pages/answers.ts';
import { abortSignalOf } from '../../http/response-end.ts';
import type { QuotesContext } from '../open.ts';
import { calculate, NO_ACCOUNT } from './calculate.ts';
import { exampleOf, isAsked, plainFields, type Query, readForm } from './form.ts';
import { formPage, pricesPage, problemPage, STYLE, STYLE_PATH } from './pages.ts';

const NO_TARIFF = {
  title: 'Todavía no hay tarifas',
  sentence: 'Aún no podemos decirle cuánto cuesta un envío. Vuelva otro día.',
};

/**
 * `GET /cotizador`: what a parcel costs by the public list, for people without a token (docs/contract.md "Quote page").
 * An address may ask for only so many prices; what prices nothing does not count.
 */
export async function calculatorRoutes(server: HttpServer, context: QuotesContext): Promise<void> {
  const { config, tariffs, branches, localTime, redis, errorTable } = context;
  const { CARRIER_NAME: carrier, REDIS_PREFIX: prefix } = config;
  const countVisit = visitLimit(redis, `${prefix}:calculator`);

  server.get(STYLE_PATH, async (_request, reply) => sendStyle(reply, STYLE));
  await server.register(async (pages) => {
    pages.setErrorHandler(
      pageErrorHandler(errorTable, (problem, { query }) =>
        problemPage({ carrier, ...problem, fields: plainFields(query as Query) }),
      ),
    );
    pages.get<{ Querystring: Query }>('/cotizador', async ({ id: requestId, ip, query }, reply) => {
      const now = tariffs.now();
      const tariff = tariffs.at(now);
      if (!tariff) return sendPage(reply, problemPage({ carrier, ...NO_TARIFF, fields: [] }));
      if (!isAsked(query)) {
        const example = exampleOf(tariff.tariff);
        const view = { title: 'Cotizador', fields: plainFields(query), isWrong: false, example };
        return sendPage(reply, formPage({ carrier, indexed: true, ...view }), true);
      }
      const { inquiry, fields } = readForm(query);
      if (!inquiry) {
        const view = { title: 'Revise los datos', fields, isWrong: true, example: null };
        return sendPage(reply.code(400), formPage({ carrier, ...view }));
      }
      await countVisit(ip);
      const caller = { requestId, account: NO_ACCOUNT, signal: abortSignalOf(reply) };
      const found = await branches.destination({ postalCode: inquiry.destination }, caller);
      const calculation = calculate({ tariff, now, localTime }, inquiry, found?.branch);
      const { origin, destination } = inquiry;
      const title = `Envío de ${origin} a ${destination}`;
      return sendPage(reply, pricesPage({ carrier, title, fields, origin, destination, ...calculation }));
    });
  });
}
