import type { Accounts } from '../accounts/context.ts';
import type { Branches } from '../branches/context.ts';
import type { Guides } from '../guides/context.ts';
import type { Base } from '../http/room.ts';
import type { CountQuotes } from './quote-metrics.ts';
import type { QuoteTokens } from './quote-token.ts';
import type { CurrentTariff } from './tariffs/current-tariff.ts';

/** What quotes provide. */
export type Quotes = {
  tariffs: CurrentTariff;
  quoteTokens: QuoteTokens;
  countQuotes: CountQuotes;
};
export type QuotesContext = Base & Accounts & Branches & Guides & Quotes;
