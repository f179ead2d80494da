/** The sentences of the API in the words of people: fields by their labels, and the accents that the API leaves out. */

/** Fields whose name is no word. */
const NAMES: Readonly<Record<string, string>> = {
  CodigoPostal: 'código postal',
  DestinoCode: 'sucursal de destino',
  InformacionAdicional: 'información adicional',
  Monto: 'monto a cobrar',
  Medios: 'medios de pago',
  Numero_exterior: 'número exterior',
  Numero_interior: 'número interior',
  RFC: 'RFC',
  RazonSocial: 'razón social',
  TipoEnvio: 'tipo de envío',
  TipoServicio: 'servicio',
  ValorDeclarado: 'valor declarado',
};
const OWNERS: Readonly<Record<string, string>> = {
  Remitente: ' de quien envía',
  Destinatario: ' de quien recibe',
};
const ACCENTS: Readonly<Record<string, string>> = {
  catalogo: 'catálogo',
  codigo: 'código',
  contrasena: 'contraseña',
  cambiela: 'cámbiela',
  dia: 'día',
  digito: 'dígito',
  guia: 'guía',
  invalida: 'inválida',
  limite: 'límite',
  mas: 'más',
  maximo: 'máximo',
  numero: 'número',
  pagina: 'página',
  parametro: 'parámetro',
  pidio: 'pidió',
  creo: 'creó',
  cotizo: 'cotizó',
  vacio: 'vacío',
  valida: 'válida',
  valido: 'válido',
  vencio: 'venció',
};
const PATH = /\b(?:(Remitente|Destinatario|Producto|Cobro|Creado_por|Direccion)\.)?([A-Z]\w+)/g;
const UNACCENTED = new RegExp(`\\b(${Object.keys(ACCENTS).join('|')})(s?)\\b`, 'gi');

/** Returns a sentence of the API as people say it. */
export function spoken(message: string): string {
  return message
    .replace(/ \((?:string|number|integer|boolean|array|object)\)/g, '')
    .replace(/'([^']*)'/g, '«$1»')
    .replace(PATH, (path, owner: string | undefined, name: string) =>
      owner === undefined && !(name in NAMES)
        ? path
        : (NAMES[name] ?? name.toLowerCase()) + (OWNERS[owner ?? ''] ?? ''),
    )
    .replace(UNACCENTED, (_, word: string, plural: string) => {
      const accented = ACCENTS[word.toLowerCase()] ?? word;
      return (word[0] === word[0]?.toUpperCase() ? capitalized(accented) : accented) + plural;
    })
    .replace(/cion\b/g, 'ción')
    .replace(/\besta (?=(?:activa|alterada|cancelada|completa|dos|en|sin|vacío)(?![a-zñ])|[A-Z])/g, 'está ');
}

/** Says a problem beside its field, without its name. */
export function besideField(message: string): string {
  return capitalized(message.replace(/^El campo «[^»]*» /, ''));
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
