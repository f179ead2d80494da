import type { ServiceType } from '#shared/guides/guide.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';
import {
  formatCentimetres,
  formatKilograms,
  formatPercent,
  pesosText,
  toPesos,
} from '../../platform/amounts.ts';
import type { Quote } from '../quote.ts';
import type { NoPrice, PriceLine } from '../tariffs/price.ts';

/** Prices in the words of the page. The api has its own, without accents, for programs. */

export const SERVICE_NAMES: Readonly<Record<ServiceType, string>> = {
  Domicilio: 'A domicilio',
  'the service': 'Recoger en sucursal',
};

/** Writes the name of a line, which the carrier's tariff has in small letters. */
export function conceptWords(concept: string): string {
  return concept === 'iva' ? 'IVA' : concept.charAt(0).toUpperCase() + concept.slice(1);
}

/** Says how a line was computed: `11.5 % de $163.00`. */
export function lineWords(line: PriceLine, zone: string, packages: number): string {
  if ('upToGrams' in line) {
    const extra = line.extraGrams > 0 ? ` y ${formatKilograms(line.extraGrams)} más` : '';
    const times = packages > 1 ? ` × ${packages} paquetes` : '';
    return `Zona ${zone}, hasta ${formatKilograms(line.upToGrams)}${extra}${times}`;
  }
  const { percentage, count } = line;
  const [base, minimum, fixed] = [line.base, line.minimum, line.fixed].map(toPesos) as [
    number,
    number,
    number,
  ];
  const times = count > 1 ? ` × ${count}` : '';
  const parts = [
    ...(fixed > 0 && (times || percentage > 0) ? [`${pesosText(fixed)}${times}`] : []),
    ...(percentage > 0 ? [`${formatPercent(percentage)} de ${pesosText(base)}`] : []),
  ];
  const least = minimum > 0 ? [`mínimo ${pesosText(minimum)}`] : [];
  return [...(parts.length > 0 ? [parts.join(' y ')] : []), ...least].join(', ');
}

/** Says what is billed of a parcel, and why: `Se cobran 3 kg: pesa 2.5 kg y por su tamaño cuenta como 1.8 kg`. */
export function weightWords({ parcel: { grams, packages }, billedGrams, volumetricGrams }: Quote): string {
  const [billed, real, volumetric] = [billedGrams, grams, volumetricGrams].map(formatKilograms);
  const verb = billedGrams === 1_000 ? 'Se cobra' : 'Se cobran';
  return packages > 1
    ? `${verb} ${billed} por paquete: cada uno pesa ${real} y por su tamaño cuenta como ${volumetric}.`
    : `${verb} ${billed}: el paquete pesa ${real} y por su tamaño cuenta como ${volumetric}.`;
}

/** Says why a service has no price. */
export function noPriceWords(noPrice: NoPrice, { grams, service }: Parcel): string {
  switch (noPrice.reason) {
    case 'too-heavy': {
      const maximum = formatKilograms(noPrice.maximum);
      return grams > noPrice.maximum
        ? `El paquete pesa ${formatKilograms(grams)}, y llevamos hasta ${maximum}.`
        : `Por su tamaño, el paquete cuenta como ${formatKilograms(noPrice.grams)}, y llevamos hasta ${maximum}.`;
    }
    case 'too-long': {
      const [length, maximum] = [noPrice.millimetres, noPrice.maximum].map(formatCentimetres);
      return `El lado más largo mide ${length}, y llevamos hasta ${maximum}.`;
    }
    case 'no-group':
      return noPrice.end === 'origin'
        ? `Todavía no tenemos precio desde el código postal ${noPrice.postalCode}.`
        : `${SERVICE_NAMES[service]}: todavía no tenemos precio hasta el código postal ${noPrice.postalCode}.`;
    case 'no-price':
      return `${SERVICE_NAMES[service]}: todavía no tenemos precio para este envío.`;
  }
}
