import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { KINDS, LABEL_KINDS } from '#shared/contracts/label-kinds.ts';
import { everywhere, LEAST, sample } from '../label/template-files/sample-labels.ts';

/** Labels that show what a template must cope with. Tests use them too, the golden pictures among them. */
export type PreviewCase = { name: string; about: string; label: LabelPayload };

type Guide = LabelPayload['guide'];

const ADDRESS_ONLY: Guide = {
  ...LEAST,
  Destinatario: {
    Nombre: 'Guadalupe Hernández Sánchez',
    Celular: '5512345678',
    Calle: 'Calle 5 de Mayo',
    Numero_exterior: '12',
    Colonia: 'Centro Histórico',
    CodigoPostal: '06000',
    Municipio: 'Cuauhtémoc',
    Estado: 'Ciudad de México',
  },
  Producto: { Contenido: 'Ropa', Peso: 1 },
};

const LONG: Guide = {
  Remitente: {
    Nombre: 'Distribuidora de Productos Farmacéuticos y Hospitalarios del Bajío SA de CV',
    Celular: '4771234567',
    Telefono: '4777654321',
    Email: 'embarques.sucursal.leon@distribuidora-del-bajio.ejemplo.mx',
  },
  Destinatario: {
    Nombre: 'María de los Ángeles Guadalupe Villaseñor y Gutiérrez de Velasco',
    RazonSocial: 'Hospital General de Especialidades Doctor Gaudencio González Garza',
    RFC: 'HGE850615AB9',
    Celular: '3312345678',
    Telefono: '3387654321',
    Email: 'recepcion.almacen.farmacia@hospital-general.ejemplo.mx',
    Calle: 'Prolongación Boulevard Licenciado Benito Juárez García Poniente',
    Numero_exterior: 'Km 14.5 Lote 7',
    Numero_interior: 'Edificio C, Piso 3',
    Colonia: 'Fraccionamiento Residencial Lomas de San Agustín',
    CodigoPostal: '45645',
    Municipio: 'Tlajomulco de Zúñiga',
    Estado: 'Jalisco',
    Referencias:
      'Entrada por la calle lateral, frente a la gasolinera; preguntar en la caseta por el almacén de farmacia ' +
      'y entregar solo de lunes a viernes de 8 a 14 horas. Si está cerrado, llamar al celular antes de dejarlo.',
  },
  Producto: {
    TipoEnvio: 'Caja con hielo seco',
    Contenido:
      'Material de curación, reactivos de laboratorio y equipo menor; ver la lista de empaque de la caja 1',
    InformacionAdicional:
      'Mantener entre 2 y 8 °C. No voltear, no apilar más de tres cajas, abrir al recibir.',
    Peso: 128.75,
    Largo: 120.5,
    Ancho: 80,
    Alto: 100.25,
    ValorDeclarado: 1_234_567.89,
    Paquetes: 12,
  },
  Creado_por: { Nombre: 'José Ángel Domínguez Echeverría', Agencia: 'Agencia León Aeropuerto del Bajío' },
  Referencia: 'Orden de compra 2026/07-000184, almacén 3, embarque parcial',
};

const ALPHABETS: Guide = {
  Remitente: { Nombre: 'Щербакова Жанна Юрьевна', Celular: '5598765432', Email: 'zhanna@ejemplo.mx' },
  Destinatario: {
    Nombre: 'Nguyễn Thị Phượng Ỗng',
    RazonSocial: 'Γρηγόρης Παπαδόπουλος & Υιοί',
    RFC: 'CNO800101AB1',
    Celular: '8198765432',
    Calle: 'Улица Фёдора Достоевского',
    Numero_exterior: '№ 12½',
    Colonia: 'Ọlábísí Ɓaƙo',
    CodigoPostal: '64000',
    Municipio: 'Λεωφόρος Μεξικού',
    Estado: 'Şəhər Łódź',
    Referencias: '☎ antes de entregar → portón ★ verde; ⚠ perro. Київ, вул. Хрещатик 22 ✓',
  },
  Producto: {
    Contenido: 'Βιβλία, книги, sách tiếng Việt',
    InformacionAdicional: '2 °C ≤ t ≤ 8 °C; ≈ 5 m²; ₱ 1 500',
    Peso: 2.5,
  },
  Creado_por: { Nombre: 'Ștefan Čapek', Agencia: 'ЖКХ Югорск' },
  Referencia: 'ЗАКАЗ № 1042',
};

const svg = (shapes: string) =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 60">${shapes}</svg>`).toString(
    'base64',
  );
const LOGO = `data:image/svg+xml;base64,${svg(
  '<path d="M4 46 34 8l18 23 12-14 24 29z" fill="none" stroke="#000" stroke-width="6" stroke-linejoin="round"/>' +
    '<path d="M4 55h112" stroke="#000" stroke-width="5"/><circle cx="98" cy="16" r="8"/>',
)}`;

const MARKUP = `</style></section><script>alert(1)</script>{{this}} {{{carrier}}} &amp; &lt;b&gt; <img src=x onerror=y>`;

/** The same label in each kind. */
const inEachKind = (name: string, about: string, label: Partial<LabelPayload>): PreviewCase[] =>
  LABEL_KINDS.map((kind) => ({ name: `${kind}-${name}`, about, label: { ...sample(label), kind } }));

export const PREVIEW_CASES: readonly PreviewCase[] = [
  ...inEachKind('usual', 'Every field', { packages: 3 }),
  ...inEachKind('logo', 'With a logo', { logo: LOGO }),
  ...inEachKind('address', 'Name, address and phone alone', { guide: ADDRESS_ONLY }),
  ...inEachKind('pick-up', 'The least there can be: pick-up at a branch', {
    guide: LEAST,
    service: 'the service',
  }),
  ...inEachKind('long', 'Long fields', {
    guide: LONG,
    carrier: 'Transportes y Mensajería del Occidente',
    origin: { code: 'LEON-CENTRO', name: 'León, Parque Industrial Stiva Aeropuerto' },
    destination: { code: 'TLAJO-SUR', name: 'Tlajomulco de Zúñiga, Corredor López Mateos Sur' },
  }),
  ...inEachKind('wide', 'The widest letter in every field', everywhere('W'.repeat(250))),
  ...inEachKind('alphabets', 'Cyrillic, Greek, Vietnamese, African Latin and signs', { guide: ALPHABETS }),
  ...inEachKind(
    'scripts',
    'Letters and signs that the fonts lack',
    everywhere('🚚 שלום Ñandú Łódź ﬁn ñ́ 中文 '.repeat(12)),
  ),
  ...inEachKind('markup', 'HTML and templates in every field', everywhere(MARKUP.repeat(3))),
  ...inEachKind('wide-code', 'A wide branch code', { destination: { code: 'WMW04', name: 'Huamantla' } }),
  ...inEachKind('long-address', 'A long tracking address', {
    trackingUrl: 'https://www.rastreo-de-paquetes.example/consulta?origen=etiqueta&guia=482913650724',
  }),
  ...LABEL_KINDS.filter((kind) => KINDS[kind].pagePerPackage).map((kind) => ({
    name: `${kind}-package-99`,
    about: 'Package 99 of 99',
    label: sample({ kind, packages: 99, package: 99 }),
  })),
];
