import { FIELDS, MEASURES } from './fields.ts';

/** What each column of a file means: the path of a field, or nothing. */
export type Mapping = (string | undefined)[];

/** A column that means a field; a name may be in two columns, of which the second comes later. */
type Meaning = { path: string; rank: number; part: number };

const SECTION_WORDS: Readonly<Record<string, string>> = {
  ...wordsFor(
    'Destinatario',
    'destinatario dest recibe recipient cliente customer consignatario entrega envio shipping shipto to delivery destino',
  ),
  ...wordsFor('Remitente', 'remitente rem origen envia sender from'),
  ...wordsFor('Producto', 'producto paquete parcel package'),
  ...wordsFor('Cobro', 'cobro'),
  ...wordsFor('Creado_por', 'creado creador'),
  // The buyer's address in a shop counts where the file has none of the recipient.
  ...wordsFor('billing', 'billing facturacion'),
};
/** Names of a field that count where the file has no better one: they may be a shop's own number, or that of a row. */
const LESSER = new Set(['orderid', 'idpedido', 'numero', 'num', 'number']);
const FILLERS = new Set(
  'de del la el los las the of a al para por quien su y en mxn kg cm g gr grs gramos'.split(' '),
);

/** Other names of fields, without accents, signs and blanks. */
const SYNONYMS: Readonly<Record<string, string>> = {
  ...wordsFor(
    'Destinatario.Nombre',
    'nombre name fullname nombrecompleto contacto contact attention destinatario recibe recipient cliente customer',
  ),
  ...wordsFor('Destinatario.Nombre/0', 'firstname nombres nombrepila'),
  ...wordsFor('Destinatario.Nombre/1', 'lastname apellido apellidos'),
  ...wordsFor('Destinatario.Email', 'email correo correoelectronico mail emailaddress'),
  ...wordsFor('Destinatario.Telefono', 'telefono tel phone phonenumber telefonofijo telefono1 tel1'),
  ...wordsFor('Destinatario.Celular', 'celular cel movil mobile whatsapp telefonocelular telefono2 tel2'),
  ...wordsFor('Destinatario.RazonSocial', 'razonsocial empresa company compania companyname negocio'),
  ...wordsFor('Destinatario.RFC', 'rfc taxid'),
  ...wordsFor(
    'Destinatario.Referencias',
    'referencias referenciasentrega entrecalles indicaciones address2 addressline2 direccion2 customernote customermessage instrucciones',
  ),
  ...wordsFor(
    'Destinatario.CodigoPostal',
    'codigopostal cp codpostal postal zip zipcode postcode postalcode codigozip',
  ),
  ...wordsFor(
    'Destinatario.Estado',
    'estado state province provincename provincia entidad statename entidadfederativa statecode',
  ),
  ...wordsFor(
    'Destinatario.Municipio',
    'municipio ciudad city alcaldia delegacion poblacion town localidad municipioalcaldia',
  ),
  ...wordsFor('Destinatario.Colonia', 'colonia col neighborhood suburb barrio fraccionamiento asentamiento'),
  ...wordsFor(
    'Destinatario.Calle',
    'calle street direccion domicilio address address1 addressline1 direccion1 calleynumero callenumero address12',
  ),
  ...wordsFor(
    'Destinatario.Numero_exterior',
    'numeroexterior noexterior noext numext numeroext exterior ext numero num number',
  ),
  ...wordsFor(
    'Destinatario.Numero_interior',
    'numerointerior nointerior noint numint numeroint interior int depto departamento apartment',
  ),
  ...wordsFor(
    'Destinatario.DestinoCode',
    'destinocode sucursal destino sucursaldestino codigosucursal claversucursal branch',
  ),
  ...wordsFor('Producto.TipoEnvio', 'tipoenvio tipopaquete'),
  ...wordsFor(
    'Producto.ValorDeclarado',
    'valordeclarado valor declaredvalue valormercancia subtotal ordersubtotal ordersubtotalamount',
  ),
  ...wordsFor(
    'Producto.Contenido',
    'contenido descripcion content contents description mercancia articulo articulos item items itemname productname lineitemname lineitems productos producto nombreproducto',
  ),
  ...wordsFor(
    'Producto.InformacionAdicional',
    'informacionadicional observaciones notas nota notes note comentarios comments',
  ),
  ...wordsFor('Producto.Peso', 'peso weight pesokg kilos kg totalweight'),
  ...wordsFor('Producto.Largo', 'largo length longitud'),
  ...wordsFor('Producto.Alto', 'alto height altura'),
  ...wordsFor('Producto.Ancho', 'ancho width anchura'),
  ...wordsFor(
    MEASURES.path,
    'medidas medida dimensiones dimension tamano medidaspaquete dimensions size largoanchoalto largoxanchoxalto lxaxa',
  ),
  ...wordsFor('Producto.Paquetes', 'paquetes bultos piezas cajas packages numeropaquetes cantidadpaquetes'),
  ...wordsFor('Cobro.Monto', 'monto contraentrega montocobrar cobrar importecobrar cod codamount porcobrar'),
  ...wordsFor('Cobro.Medios', 'medios mediospago'),
  ...wordsFor(
    'Referencia',
    'referencia pedido orden order ordernumber orderid numeropedido numeropedidocliente nopedido numpedido numeroorden noorden idpedido folio reference',
  ),
  ...wordsFor('TipoServicio', 'tiposervicio servicio service'),
};
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SYNONYMS),
  ...[...FIELDS, MEASURES].flatMap(({ path, label }) =>
    [path, label].map((name) => [comparable(name), path] as const),
  ),
]);

/** Headings that mean something else than their words say. Shopify's number of an order is `Name`, and its weight is none of a parcel. */
const SHOPIFY = {
  name: 'Referencia',
  id: undefined,
  'lineitem name': 'Producto.Contenido',
  'shipping street': undefined,
  'shipping province': undefined,
  'shipping method': undefined,
} as const;

/** Returns what each heading means, as far as it is known. A field has one column, or the parts of a name. */
export function recognise(headings: readonly string[]): Mapping {
  const isShopify = ['name', 'lineitem name'].every((each) =>
    headings.some((heading) => each === heading.trim().toLowerCase()),
  );
  const meanings = headings.map((heading) => {
    const own = heading.trim().toLowerCase();
    if (isShopify && Object.hasOwn(SHOPIFY, own)) {
      const path = SHOPIFY[own as keyof typeof SHOPIFY];
      return path && { path, rank: 2, part: 0 };
    }
    return meaningOf(heading);
  });
  return meanings.map((meaning, i) => {
    if (!meaning || !isChosen(meaning, i, meanings)) return undefined;
    const mobile = meaning.path.replace(/Telefono$/, 'Celular');
    // Most phones are mobile ones: the only column of phones is, unless it says that it is not.
    const isNamed = /fijo/i.test(headings[i] as string) || headings[i] === meaning.path;
    const isMobile = !isNamed && !meanings.some((other) => other?.path === mobile);
    return isMobile ? mobile : meaning.path;
  });
}

/** Of several columns for one field counts the recipient's before the buyer's, then the whole name before its parts, then the first. */
function isChosen(meaning: Meaning, at: number, meanings: readonly (Meaning | undefined)[]): boolean {
  return meanings.every((other, i) => {
    if (!other || i === at || other.path !== meaning.path) return true;
    if (other.rank !== meaning.rank) return other.rank < meaning.rank;
    const [mine, its] = [meaning.part < 0, other.part < 0];
    if (mine !== its) return mine;
    return (!mine && other.part !== meaning.part) || at < i;
  });
}

function meaningOf(heading: string): Meaning | undefined {
  const whole = KNOWN.get(comparable(heading));
  if (whole !== undefined) return asMeaning(whole, LESSER.has(comparable(heading)) ? 1 : 2);
  const words = wordsIn(heading);
  const sections = words.flatMap((word) => SECTION_WORDS[word] ?? []);
  const rest = words.filter((word) => SECTION_WORDS[word] === undefined && !FILLERS.has(word));
  const found = KNOWN.get(rest.join('')) ?? KNOWN.get(words.filter((word) => !FILLERS.has(word)).join(''));
  if (found === undefined) return undefined;
  const section = sections[0];
  if (section === undefined || section === 'billing') return asMeaning(found, section ? 1 : 2);
  const moved = found.replace(/^[^.]+/, section);
  return isField(moved) ? asMeaning(moved, 2) : asMeaning(found, 2);
}

function asMeaning(found: string, rank: number): Meaning {
  const [path = found, part] = found.split('/');
  return { path, rank, part: part === undefined ? -1 : Number(part) };
}

function isField(found: string): boolean {
  const [path] = found.split('/');
  return FIELDS.some((field) => field.path === path);
}

function wordsIn(heading: string): string[] {
  return plain(heading.replace(/([a-záéíóúñ])([A-ZÁÉÍÓÚÑ])/g, '$1 $2'))
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

function comparable(heading: string): string {
  return wordsIn(heading).join('');
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function wordsFor(meaning: string, words: string): Record<string, string> {
  return Object.fromEntries(words.split(' ').map((word) => [word, meaning]));
}

/** Most rows above the headings, such as a title. */
const MAX_ABOVE = 10;

/** Returns in which row the headings stand: the first of the file's beginning in which several are known, or else the first. */
export function headingRow(cells: readonly (readonly string[])[]): number {
  const found = cells
    .slice(0, MAX_ABOVE)
    .findIndex((row) => recognise(row).filter((path) => path !== undefined).length >= 2);
  return found < 0
    ? Math.max(
        cells.findIndex((row) => row.some((text) => text.trim() !== '')),
        0,
      )
    : found;
}

/** Names each heading whatever its case and accents, and each of several equal ones apart. */
export function namesOfHeadings(headings: readonly string[]): string[] {
  const counts = new Map<string, number>();
  return headings.map(comparable).map((name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? name : `${name} ${count}`;
  });
}
