import type { Branch } from '#shared/branches/branch.ts';
import { SERVICE_TYPES } from '#shared/guides/guide.ts';
import { arrivalWords, conditionWords } from '../../http/public-pages/arrival.ts';
import { pesosText, toPesos } from '../../platform/amounts.ts';
import { parcelOf } from '../parcel.ts';
import { type Quote, type QuoteBasis, quoteParcel } from '../quote.ts';
import type { Inquiry } from './form.ts';
import { conceptWords, lineWords, noPriceWords, SERVICE_NAMES, weightWords } from './words.ts';

/** No account has this name, so its prices are those of the public list. */
export const NO_ACCOUNT = '';

/** What the page says of a parcel: a price for each service that has one, and why the others have none. */
export type Calculation = { options: OptionView[]; refusals: string[]; weight: string | null };
type OptionView = {
  service: string;
  total: string;
  arrival: string;
  condition: string;
  /** Where the parcel is picked up. */
  branch: string | null;
  lines: { concept: string; description: string; amount: string }[];
};

/** Prices a parcel with each service, by the public list. @param branch that covers the destination, if one does. */
export function calculate(
  basis: Omit<QuoteBasis, 'account'>,
  { origin, destination, goods }: Inquiry,
  branch: Branch | undefined,
): Calculation {
  if (!branch) {
    const refusal = `Todavía no entregamos en el código postal ${destination}.`;
    return { options: [], refusals: [refusal], weight: null };
  }
  const ends = { origin: { CodigoPostal: origin }, destination: { branch, homePostalCode: destination } };
  const codes = { origin: '', destination: branch.Codigo };
  const options: OptionView[] = [];
  const refusals = new Set<string>();
  let weight: string | null = null;
  for (const service of SERVICE_TYPES) {
    const parcel = parcelOf(service, { Producto: goods }, ends);
    const quote = quoteParcel({ ...basis, account: NO_ACCOUNT }, parcel, codes);
    if ('reason' in quote) refusals.add(noPriceWords(quote, parcel));
    else {
      options.push(optionView(quote, branch, basis.localTime));
      weight = weightWords(quote);
    }
  }
  return { options, refusals: [...refusals], weight };
}

function optionView(quote: Quote, branch: Branch, localTime: QuoteBasis['localTime']): OptionView {
  const { parcel, lines, zone, total, delivery } = quote;
  const isPickup = parcel.service !== 'Domicilio';
  return {
    service: SERVICE_NAMES[parcel.service],
    total: pesosText(toPesos(total)),
    arrival: arrivalWords({ Desde: delivery.from, Hasta: delivery.to }),
    condition: conditionWords(localTime(new Date(delivery.receivedBefore * 1_000))),
    branch: isPickup ? `${branch.Nombre}, en ${branch.Municipio}, ${branch.Estado}` : null,
    lines: lines.map((line) => ({
      concept: conceptWords(line.concept),
      description: lineWords(line, zone, parcel.packages),
      amount: pesosText(toPesos(line.amount)),
    })),
  };
}
