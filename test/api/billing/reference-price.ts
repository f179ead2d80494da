/**
 * Prices by docs/tarifas.md alone, for the audit of a month: nothing here comes from `services/`. Amounts are centavos,
 * percentages hundredths of a percent, weights grams and sides millimetres, all of them integers.
 */

type Files = ReadonlyMap<string, Buffer>;
type Row = Readonly<Record<string, string>>;

/** A package; what was not told is missing. */
export type Package = { grams?: number; sides?: readonly number[] };
type Measured = Required<Package>;

/** What is priced: the packages of a guide between two postal codes. */
export type Goods = {
  origin: string;
  destination: string;
  service: string;
  type: string;
  declared: number;
  packages: readonly Package[];
};

/** Returns the total of goods for an account, or why there is none. */
export function priceByHand(tariff: Files, account: string, goods: Goods): number | { why: string } {
  const { packages } = goods;
  if (!packages.every(isMeasured)) return { why: 'no-measures' };

  const rows = (file: string) => rowsOf(tariff, file);
  const parameter = (name: string, places: number) => {
    const text = rows('parametros.csv').find(({ Nombre }) => Nombre === name)?.Valor;
    return text === undefined ? undefined : exact(text, places);
  };
  const divisor = parameter('Divisor', 0) ?? 5_000;
  const step = parameter('EscalonKg', 3) ?? 1_000;
  /** The greater weight of a package, in grams; that of its volume may have a fraction. */
  const weightOf = ({ grams, sides }: Measured) => Math.max(grams, volume(sides) / divisor);
  if (packages.some((each) => weightOf(each) > (parameter('MaximoKg', 3) ?? 0))) return { why: 'too-heavy' };
  if (packages.some(({ sides }) => Math.max(...sides) > (parameter('MaximoCm', 1) ?? 0)))
    return { why: 'too-long' };

  const groupOf = (postalCode: string) =>
    rows('zonas.csv').find(({ Desde = '', Hasta = '' }) => Desde <= postalCode && postalCode <= Hasta)?.Grupo;
  const [from, to] = [groupOf(goods.origin), groupOf(goods.destination)];
  if (!from || !to) return { why: 'no-group' };
  const zone = rows('rutas.csv').find(({ Origen, Destino }) => Origen === from && Destino === to)?.Zona;
  if (!zone) return { why: 'no-price' };

  const contract = rows('contratos.csv').find(({ Cuenta }) => Cuenta === account);
  const list = contract?.Lista ?? 'publica';
  const ofZone = rows('precios.csv').filter(
    ({ Lista, TipoServicio, Zona }) => Lista === list && TipoServicio === goods.service && Zona === zone,
  );
  const ofType = ofZone.filter(({ TipoEnvio }) => TipoEnvio === goods.type);
  const breaks = (ofType.length > 0 ? ofType : ofZone.filter(({ TipoEnvio }) => TipoEnvio === ''))
    .map(({ HastaKg, Precio, KgExtra }) => ({
      upTo: exact(HastaKg, 3),
      price: exact(Precio, 2),
      extra: KgExtra ? exact(KgExtra, 2) : undefined,
    }))
    .toSorted((one, other) => one.upTo - other.upTo);
  let freight = 0;
  for (const each of packages) {
    const billed = Math.ceil(weightOf(each) / step) * step;
    const reached = breaks.find(({ upTo }) => billed <= upTo);
    const last = breaks.at(-1);
    if (reached) freight += reached.price;
    else if (last?.extra !== undefined)
      freight += last.price + last.extra * Math.ceil((billed - last.upTo) / step);
    else return { why: 'no-price' };
  }

  freight -= percentOf(freight, exact(contract?.Descuento || '0', 2));
  const isIn = (area: string, postalCode: string) =>
    rows('areas.csv').some(
      ({ Area, Desde = '', Hasta = '' }) => Area === area && Desde <= postalCode && postalCode <= Hasta,
    );
  let subtotal = freight;
  for (const { Aplica = '', Mayor, Importe, Porcentaje, De, Minimo, Por } of rows('recargos.csv')) {
    const charged = packages.filter(({ grams, sides }) => {
      if (Aplica === 'lado') return Math.max(...sides) > exact(Mayor, 1);
      if (Aplica === 'peso') return grams > exact(Mayor, 3);
      if (Aplica === 'declarado') return goods.declared > exact(Mayor, 2);
      return Aplica === 'siempre' || isIn(Aplica.replace('area:', ''), goods.destination);
    });
    if (charged.length === 0) continue;
    const base = De === 'flete' ? freight : De === 'subtotal' ? subtotal : goods.declared;
    const fixed = exact(Importe || '0', 2) * (Por === 'paquete' ? charged.length : 1);
    subtotal += Math.max(fixed + percentOf(base, exact(Porcentaje || '0', 2)), exact(Minimo || '0', 2));
  }
  const atBorder = isIn('frontera', goods.origin) && isIn('frontera', goods.destination);
  const vat = (atBorder ? parameter('IVAFrontera', 2) : undefined) ?? parameter('IVA', 2) ?? 0;
  return subtotal + percentOf(subtotal, vat);
}

function isMeasured(each: Package): each is Measured {
  return each.grams !== undefined && each.sides !== undefined;
}

const volume = (sides: readonly number[]) => sides.reduce((product, side) => product * side, 1);

/** Half a centavo counts as one. */
function percentOf(amount: number, percentage: number): number {
  return Math.floor((amount * percentage + 5_000) / 10_000);
}

/** Returns a decimal number times a power of ten, exactly. */
function exact(text = '', places: number): number {
  const [whole = '', fraction = ''] = text.split('.');
  return Number(whole + fraction.padEnd(places, '0'));
}

const parsed = new WeakMap<Files, Map<string, Row[]>>();

function rowsOf(files: Files, name: string): Row[] {
  const known = parsed.get(files) ?? new Map<string, Row[]>();
  parsed.set(files, known);
  const rows = known.get(name) ?? readRows(files.get(name)?.toString('utf8') ?? '');
  known.set(name, rows);
  return rows;
}

function readRows(text: string): Row[] {
  const [head = '', ...lines] = text.trim().split(/\r?\n/);
  const names = head.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}
