import { type Static, type TSchema, Type } from 'typebox';
import { MAX_RESOLVED } from '../branches/branch.ts';
import { POSTAL_CODE_FORM } from '../branches/postal-code.ts';

/**
 * Two schemas of a guide (docs/contract.md "Guides"). `SentGuide` validates requests and documents them in OpenAPI.
 * `Guide` types stored guides and validates the label's payload. Names are those of the wire, so no translation table is
 * needed. `x-regla` is the error message of a wrong value. `x-error` is the problem of an `anyOf` with a code of its own.
 */

type FieldRules = {
  /** Patterns. */
  text: string;
  phone: string;
  rfc: string;
  /** Limits of numbers, beside the largest measure. */
  measure: { minimum: number } | { exclusiveMinimum: number };
  value: { minimum: number; maximum?: number };
  /** Whether an object may have fields that its schema does not know. */
  additionalProperties: boolean;
};

/** Most packages of a guide: the Code 128 has two digits for them (docs/contract.md "Labels"). */
export const MAX_PACKAGES = 99;

/** Replaces a text that named a person. The value passes the checks of a guide, so that labels can still be printed. */
export const ANONYMOUS = '[anonimizado]';

/** Largest declared value, in MXN. */
const MAX_VALUE = 999_999_999.99;

/** Largest amount that is collected on delivery of a guide, and how it may be paid (docs/contract.md "Cash on delivery"). */
export const MAX_COLLECTED = 50_000;
export const MEANS_OF_PAYMENT = ['efectivo', 'tarjeta'] as const;

/** Largest weight and side of a package. */
export const MAX_KILOGRAMS = 1_000;
export const MAX_CENTIMETRES = 500;

/** Rules of a guide as it is stored and printed. */
const STORED: FieldRules = {
  // Accepts no control characters, because they would reach printers and terminals.
  text: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$',
  phone: '^[0-9]{7,15}$',
  // SAT: 3 letters (company) or 4 (person), the date as six digits, 3 characters of homoclave.
  rfc: '^[A-ZÑ&]{3,4}[0-9]{6}[A-Z0-9]{3}$',
  measure: { exclusiveMinimum: 0 },
  value: { minimum: 0 },
  // After a rollback, labels print without the fields that a later release stored.
  additionalProperties: true,
};

/**
 * Rules of a guide as a client may send it. They are tolerant if no meaning can be lost. No pattern can match a text in
 * two ways, so that none backtracks for long.
 */
export const SENT: FieldRules = {
  // Also line breaks and tabs.
  text: '^[^\\u0000-\\u0008\\u000e-\\u001f\\u007f-\\u0084\\u0086-\\u009f]*$',
  phone: '^[\\s().-]*(?:\\+[\\s().-]*)?(?:[0-9][\\s().-]*){7,15}$',
  // Also with blanks and dashes, and with `Ñ` as two characters (NFD).
  rfc: '^(?:(?:[A-MO-Za-mo-zÑñ&]|[Nn]\\u0303?)[\\s\\u2010-\\u2015-]*){3,4}(?:[0-9][\\s\\u2010-\\u2015-]*){6}(?:[A-Za-z0-9][\\s\\u2010-\\u2015-]*){3}$',
  measure: { minimum: 0 },
  value: { minimum: 0, maximum: MAX_VALUE },
  additionalProperties: false,
};

export function kindsIn(rules: FieldRules) {
  const matching = (pattern: string, rule: string, description: string, example: string) =>
    Type.String({ pattern, maxLength: 120, description, examples: [example], 'x-regla': rule });
  const { additionalProperties } = rules;
  return {
    section: <P extends Record<string, TSchema>>(properties: P, description: string, options = {}) =>
      Type.Object(properties, { additionalProperties, description, ...options }),
    text: (maxLength: number, description: string, example: string) =>
      Type.String({
        minLength: 1,
        maxLength,
        pattern: rules.text,
        format: 'texto',
        description,
        examples: [example],
        'x-regla': `admite texto de 1 a ${maxLength} caracteres, sin caracteres de control`,
      }),
    phone: (description: string) =>
      matching(rules.phone, 'debe tener de 7 a 15 digitos', description, '5512345678'),
    rfc: (description: string) =>
      matching(
        rules.rfc,
        'debe tener 12 o 13 letras y digitos, como los escribe el SAT',
        description,
        'PELL800101AB1',
      ),
    postalCode: (description: string) =>
      matching(POSTAL_CODE_FORM.source, 'debe tener 5 digitos', description, '06600'),
    email: (description: string) =>
      Type.String({
        format: 'email',
        maxLength: 120,
        description,
        examples: ['ana@ejemplo.mx'],
        'x-regla': 'debe ser una direccion de correo valida',
      }),
    measure: (maximum: number, unit: string, description: string, example: number) =>
      Type.Number({
        ...rules.measure,
        maximum,
        description: `${description}, en ${unit}`,
        examples: [example],
        'x-regla': `debe ser un numero mayor que 0 y hasta ${maximum} (${unit})`,
      }),
    packages: (description: string) =>
      Type.Integer({
        minimum: 1,
        maximum: MAX_PACKAGES,
        description,
        examples: [3],
        'x-regla': `debe ser un numero entero de 1 a ${MAX_PACKAGES}`,
      }),
    value: (description: string) =>
      Type.Number({
        ...rules.value,
        description,
        examples: [1500.5],
        'x-regla': `debe ser un numero de 0 a ${MAX_VALUE} (MXN)`,
      }),
    /** An amount that changes hands: one of three decimals is a mistake, and not rounded. */
    money: (maximum: number, description: string) =>
      Type.Number({
        minimum: 0.01,
        maximum,
        multipleOf: 0.01,
        description,
        examples: [450.5],
        'x-regla': `debe ser un numero mayor que 0 y hasta ${maximum}, con dos decimales a lo mas (MXN)`,
      }),
    meansOfPayment: (description: string) =>
      Type.Enum([...MEANS_OF_PAYMENT], {
        type: 'string',
        description,
        examples: ['efectivo'],
        'x-regla': `debe ser uno de: ${MEANS_OF_PAYMENT.join(', ')}`,
      }),
  };
}
type Kinds = ReturnType<typeof kindsIn>;

/** @param postalCode what the field `CodigoPostal` is. */
function addressIn(kinds: Kinds, postalCode: string) {
  const { text } = kinds;
  return {
    CodigoPostal: Type.Optional(kinds.postalCode(postalCode)),
    Estado: Type.Optional(text(120, 'Estado', 'Ciudad de México')),
    Municipio: Type.Optional(text(120, 'Municipio o alcaldía', 'Cuauhtémoc')),
    Colonia: Type.Optional(text(120, 'Colonia', 'Juárez')),
    Calle: Type.Optional(text(120, 'Calle', 'Av. Reforma')),
    Numero_exterior: Type.Optional(text(20, 'Número exterior', '250')),
    Numero_interior: Type.Optional(text(20, 'Número interior', '4B')),
  };
}

const sender = (kinds: Kinds) => {
  const { section, text, phone, email } = kinds;
  return section(
    {
      Nombre: text(120, 'Nombre del remitente', 'Ana López'),
      Telefono: Type.Optional(phone('Teléfono fijo')),
      Celular: Type.Optional(phone('Teléfono celular')),
      Email: Type.Optional(email('Correo electrónico')),
      ...addressIn(kinds, 'Código postal'),
    },
    'Quien envía, y a dónde se devuelve',
  );
};

const recipient = (kinds: Kinds) => {
  const { section, text, phone, email, rfc } = kinds;
  return section(
    {
      Nombre: text(120, 'Nombre del destinatario', 'Luis Pérez'),
      Email: Type.Optional(email('Correo electrónico')),
      Telefono: Type.Optional(phone('Teléfono fijo')),
      Celular: Type.Optional(phone('Teléfono celular')),
      RazonSocial: Type.Optional(text(120, 'Razón social', 'Comercial del Centro SA de CV')),
      RFC: Type.Optional(rfc('Registro federal de contribuyentes')),
      Referencias: Type.Optional(
        text(250, 'Referencias para la entrega', 'Portón verde, junto a la farmacia'),
      ),
      ...addressIn(kinds, 'Código postal; obligatorio sin DestinoCode'),
      DestinoCode: Type.Optional(
        text(120, 'Código de la sucursal de destino; obligatorio sin CodigoPostal', 'MEX01'),
      ),
    },
    'Quien recibe, y el destino',
    // One of the two is required.
    {
      anyOf: [{ required: ['CodigoPostal'] }, { required: ['DestinoCode'] }],
      'x-error': { campo: 'CodigoPostal', code: 'destination-missing' },
    },
  );
};

const goods = ({ section, text, measure, packages, value }: Kinds) =>
  section(
    {
      TipoEnvio: Type.Optional(text(40, 'Tipo de envío', 'Paquete')),
      ValorDeclarado: Type.Optional(value('Valor declarado, en MXN')),
      Contenido: text(250, 'Contenido', 'Libros'),
      InformacionAdicional: Type.Optional(text(250, 'Información adicional', 'Frágil')),
      Peso: Type.Optional(measure(MAX_KILOGRAMS, 'kg', 'Peso', 2.5)),
      Largo: Type.Optional(measure(MAX_CENTIMETRES, 'cm', 'Largo', 30)),
      Alto: Type.Optional(measure(MAX_CENTIMETRES, 'cm', 'Alto', 20)),
      Ancho: Type.Optional(measure(MAX_CENTIMETRES, 'cm', 'Ancho', 15)),
      Paquetes: Type.Optional(packages('Cuántos paquetes tiene la guía; 1 si falta')),
    },
    'Lo que se envía',
  );

const collection = ({ section, money, meansOfPayment }: Kinds) =>
  section(
    {
      Monto: money(MAX_COLLECTED, 'Monto a cobrar por toda la guía, en MXN'),
      Medios: Type.Optional(
        Type.Array(meansOfPayment('Con qué se paga'), {
          minItems: 1,
          uniqueItems: true,
          description: 'Medios de pago; cualquiera, si no se dice',
          examples: [['efectivo', 'tarjeta']],
          'x-regla': `debe ser una lista, sin repetir, de: ${MEANS_OF_PAYMENT.join(', ')}`,
        }),
      ),
    },
    'Lo que se cobra a quien recibe',
  );

const createdBy = ({ section, text }: Kinds) =>
  section(
    {
      Nombre: Type.Optional(text(120, 'Nombre de quien crea la guía', 'Marta Ruiz')),
      Agencia: Type.Optional(text(120, 'Agencia', 'Agencia Centro')),
    },
    'Quien crea la guía; puede ser un objeto vacío',
  );

function fieldsIn(kinds: Kinds) {
  return {
    Remitente: sender(kinds),
    Destinatario: recipient(kinds),
    Producto: goods(kinds),
    Creado_por: createdBy(kinds),
    Referencia: Type.Optional(
      kinds.text(60, 'Referencia; número de su pedido u otro suyo, que puede repetirse', 'PEDIDO-1042'),
    ),
    Cobro: Type.Optional(collection(kinds)),
  };
}

const stored = kindsIn(STORED);
/** A guide as it is stored and printed. */
export const Guide = stored.section(fieldsIn(stored), 'Una guía');
export type Guide = Static<typeof Guide>;

/** Longest quote, in characters (docs/contract.md "Quotes"). */
export const MAX_QUOTE_LENGTH = 4_000;
/** A quote's form, shortened. */
export const QUOTE_TOKEN_EXAMPLE = 'eyJ0eXAi.eyJhdWQi.c2lnbmF0dXJl';

const sent = kindsIn(SENT);
/** A guide as a client may send it; the type is that of what becomes of it. */
export const SentGuide = sent.section(
  {
    ...fieldsIn(sent),
    Cotizacion: Type.Optional(
      Type.String({
        maxLength: MAX_QUOTE_LENGTH,
        description: 'La `Cotizacion` de una opción de `cotizar`: la guía cuesta lo cotizado',
        examples: [QUOTE_TOKEN_EXAMPLE],
        'x-regla': `admite hasta ${MAX_QUOTE_LENGTH} caracteres`,
      }),
    ),
  },
  'Una guía',
  { 'x-regla': 'debe ser un objeto' },
);
export type SentGuide = Guide & { Cotizacion?: string };

/** The values of `TipoServicio`, as the specification gives them: `the service` is meant literally. */
export const SERVICE_TYPES = ['Domicilio', 'the service'] as const;
export const ServiceType = Type.Enum([...SERVICE_TYPES], {
  type: 'string',
  description: 'Domicilio: entrega a domicilio. the service: el destinatario recoge en la sucursal',
});
export type ServiceType = (typeof SERVICE_TYPES)[number];

/**
 * Most guides in one creation request: branches answers for so many at once. Requests for quotes, files of labels, manifests
 * and scans have the same limit, and so has a manifest in the queue. test/api/guides/limits.test.ts says what else must hold
 * so many.
 */
export const MAX_GUIDES = MAX_RESOLVED;

/**
 * Eleven random digits, of which the first is 0 in a test guide alone, and an ISO 7064 MOD 11,10 check digit
 * (docs/contract.md "Guides"). MongoDB's `_id` refuses a second guide of the same number, and then another is drawn.
 */
export const GUIDE_NUMBER = '^[0-9]{12}$';
const GUIDE_NUMBER_FORM = new RegExp(GUIDE_NUMBER);

/** Returns whether a text has the form of a guide number. Its check digit may be wrong. */
export function hasGuideNumberForm(text: string): boolean {
  return GUIDE_NUMBER_FORM.test(text);
}

/** Returns whether a guide belongs to a test account: its number begins with 0 (docs/contract.md "Rehearsal"). */
export function isTestNumber(number: string): boolean {
  return number.startsWith('0');
}
