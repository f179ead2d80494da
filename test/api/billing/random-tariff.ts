import type { TariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { demoFolder } from '../quotes/tariffs/demo-tariff.ts';

/** Numbers of a seed, so that a failure can be repeated. */
export type Random = ReturnType<typeof randomOf>;

/** Mulberry32. */
export function randomOf(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  const chance = (share: number) => next() < share;
  const pick = <T>(from: readonly T[]): T => from[integer(0, from.length - 1)] as T;
  return { integer, chance, pick };
}

const LISTS = ['publica', 'mayoreo', 'nueva'];
const ZONES = ['1', '2', '3', '4'];
const SERVICES = ['Domicilio', 'the service'];
const BREAKS = [1, 5, 10, 30];

/**
 * Makes a tariff with every rule of docs/tarifas.md: for some parcels it has no price. Limits of weight are whole steps, as
 * in every tariff that a carrier keeps.
 */
export function randomTariff({ integer, chance, pick }: Random): TariffFolder {
  const text = (file: 'zonas.csv' | 'rutas.csv') => demoFolder.get(file)?.toString('utf8').trim() ?? '';
  const money = (least: number, most: number) => (integer(100 * least, 100 * most) / 100).toFixed(2);

  const [zonesHead = '', ...zones] = text('zonas.csv').split('\n');
  zones.splice(integer(0, zones.length - 1), 1);
  const [routesHead = '', ...routes] = text('rutas.csv').split('\n');
  routes.splice(integer(0, routes.length - 1), 1);

  const types: (readonly [string, string, string])[] = [
    ...SERVICES.flatMap((service) => ZONES.map((zone) => [service, '', zone] as const)),
  ];
  types.push(...ZONES.filter(() => chance(0.5)).map((zone) => ['Domicilio', 'Sobre', zone] as const));
  const prices = LISTS.flatMap((list) => {
    // One service to one zone has no price.
    const absent = integer(0, types.length - 1);
    return types.flatMap(([service, type, zone], i) => {
      if (i === absent) return [];
      const extra = chance(0.7) ? money(5, 20) : '';
      let price = integer(5_000, 15_000);
      return BREAKS.map((upTo) => {
        price += integer(1, 9_000);
        const cells = [list, service, type, zone, upTo, (price / 100).toFixed(2)];
        return [...cells, upTo === BREAKS.at(-1) ? extra : ''].join(',');
      });
    });
  });

  const percentage = () => (integer(1, 1_500) / 100).toFixed(2);
  const surcharges = [
    `combustible,siempre,,,${percentage()},flete,,,`,
    `zona extendida,area:extendida,,${money(20, 200)},,,,${pick(['', 'guia', 'paquete'])},2`,
    `pieza larga,lado,${integer(80, 110)},${money(20, 90)},,,,paquete,`,
    `pieza ancha,lado,${integer(110, 120)},${money(20, 90)},,,,,`,
    `pesado,peso,${integer(15, 30)},${money(20, 90)},${percentage()},subtotal,,${pick(['guia', 'paquete'])},`,
    `seguro,declarado,${pick(['0', '500.00'])},,${percentage()},declarado,${money(10, 40)},,`,
    `manejo,siempre,,${money(0, 3)},${percentage()},subtotal,${money(1, 9)},paquete,`,
  ].filter(() => chance(0.8));

  const files = {
    'parametros.csv': [
      'Nombre,Valor',
      `MaximoKg,${pick([50, 60, 70])}`,
      `MaximoCm,${integer(125, 150)}`,
      `Divisor,${pick([4_000, 5_000, 6_000])}`,
      `EscalonKg,${pick(['1', '0.5'])}`,
      'IVA,16',
      ...(chance(0.7) ? ['IVAFrontera,8'] : []),
    ],
    'zonas.csv': [zonesHead, ...zones],
    'rutas.csv': [
      routesHead,
      ...routes.map((row) => {
        const [from, to] = row.split(',');
        return [from, to, pick(ZONES), 1, 3].join(',');
      }),
    ],
    'precios.csv': ['Lista,TipoServicio,TipoEnvio,Zona,HastaKg,Precio,KgExtra', ...prices],
    'recargos.csv': ['Concepto,Aplica,Mayor,Importe,Porcentaje,De,Minimo,Por,Dias', ...surcharges],
    'areas.csv': demoFolder.get('areas.csv')?.toString('utf8').trim().split('\n') ?? [],
    'contratos.csv': [
      'Cuenta,Lista,Descuento',
      'demo,mayoreo,10',
      `tienda,nueva,${(integer(0, 2_000) / 100).toFixed(2)}`,
      ...(chance(0.5) ? [`viajero,mayoreo,${(integer(0, 2_000) / 100).toFixed(2)}`] : []),
    ],
  } as const;
  return new Map(
    Object.entries(files).map(([name, lines]) => [
      name as keyof typeof files,
      Buffer.from(`${lines.join('\n')}\n`),
    ]),
  );
}
