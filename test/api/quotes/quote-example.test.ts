import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { BRANCHES } from '#local/demo-data.ts';
import { localTimeFormatter } from '#services/api/platform/local-time.ts';
import { QUOTE_EXAMPLES } from '#services/api/quotes/examples.ts';
import { parcelOf } from '#services/api/quotes/parcel.ts';
import { type Quote, quoteParcel, toOption } from '#services/api/quotes/quote.ts';
import kept from '#services/api/quotes/quote-example.json' with { type: 'json' };
import { SERVICE_TYPES } from '#shared/guides/guide.ts';
import { demoTariff } from './tariffs/demo-tariff.ts';

const FILE = new URL('../../../services/api/quotes/quote-example.json', import.meta.url);
const localTime = localTimeFormatter('America/Mexico_City');
/** Tuesday, before the cutoff. */
const NOW = Date.parse('2026-11-24T16:00:00Z');

/** What `cotizar` answers to the smallest example, for the demo account, by the demo tariff as version 12. */
function computed() {
  const [shipment] = QUOTE_EXAMPLES.minima.value.Guia;
  const branchOf = (code: string) => BRANCHES.find(({ Codigo }) => Codigo === code);
  const [origin, branch] = [branchOf('MEX01'), branchOf('MTY01')];
  if (!shipment || !origin || !branch) throw new Error('The example names what the demo data has not');
  const basis = { tariff: { version: 12, tariff: demoTariff }, account: 'demo', now: NOW, localTime };
  const codes = { origin: origin.Codigo, destination: branch.Codigo };
  const ends = { origin, destination: { branch, homePostalCode: shipment.Destinatario.CodigoPostal } };
  const Opciones = SERVICE_TYPES.map((service) => {
    const quote = quoteParcel(basis, parcelOf(service, shipment, ends), codes) as Quote;
    return toOption(quote, 'eyJ0…', localTime);
  });
  return { indice: 0, SEND_SUCU_ORIG: 'MEX01', SEND_SUCU_DEST: 'MTY01', Opciones };
}

test('the example of a quote is what the demo tariff gives', () => {
  const example = computed();
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, `${JSON.stringify(example, null, 2)}\n`);
  else expect(kept, 'written anew with UPDATE_DOCS=1').toEqual(example);
  expect(example.Opciones[0]).toMatchObject({
    SEND_FLETE: 127.8,
    SEND_TOTAL: 194.3,
    Vence: '2026-12-01T23:59:59-06:00',
    EntregaEstimada: {
      Desde: '2026-11-26',
      Hasta: '2026-11-27',
      SiSeRecibeAntesDe: '2026-11-24T17:00:00-06:00',
    },
  });
});
