import { type Static, type TSchema, Type } from 'typebox';

/**
 * A guide as a client sends it: fields, limits and formats as in docs/contract.md "Guides". This one schema
 * validates requests, documents them in OpenAPI, and types the label's payload.
 *
 * The names are those of the wire, Spanish, all the way through: a second set of English ones would only be
 * a translation table to keep true. `x-regla` is what the error message says about a value that does not fit.
 */

/** Letters, marks, digits, signs, emoji; no control characters: they would reach printers and terminals. */
const TEXT = '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$';

const text = (maxLength: number, description: string, example: string) =>
  Type.String({
    minLength: 1,
    maxLength,
    pattern: TEXT,
    format: 'texto',
    description,
    examples: [example],
    'x-regla': `admite texto de 1 a ${maxLength} caracteres, sin caracteres de control`,
  });
const matching = (pattern: string, rule: string, description: string, example: string) =>
  Type.String({ pattern, maxLength: 120, description, examples: [example], 'x-regla': rule });
const measure = (maximum: number, unit: string, description: string, example: number) =>
  Type.Number({
    exclusiveMinimum: 0,
    maximum,
    description: `${description}, en ${unit}`,
    examples: [example],
    'x-regla': `debe ser un numero mayor que 0 y hasta ${maximum} (${unit})`,
  });
const section = <P extends Record<string, TSchema>>(properties: P, description: string, options = {}) =>
  Type.Object(properties, {
    additionalProperties: false,
    description,
    'x-regla': 'debe ser un objeto',
    ...options,
  });

const phone = (description: string) =>
  matching('^[0-9]{7,15}$', 'debe tener de 7 a 15 digitos', description, '5512345678');
const email = (description: string) =>
  Type.String({
    format: 'email',
    maxLength: 120,
    description,
    examples: ['ana@ejemplo.mx'],
    'x-regla': 'debe ser una direccion de correo valida',
  });

export const Sender = section(
  {
    Nombre: text(120, 'Nombre del remitente', 'Ana López'),
    Telefono: Type.Optional(phone('Teléfono fijo')),
    Celular: Type.Optional(phone('Teléfono celular')),
    Email: Type.Optional(email('Correo electrónico')),
  },
  'Quien envía',
);

export const Recipient = section(
  {
    Nombre: text(120, 'Nombre del destinatario', 'Luis Pérez'),
    Email: Type.Optional(email('Correo electrónico')),
    Telefono: Type.Optional(phone('Teléfono fijo')),
    Celular: Type.Optional(phone('Teléfono celular')),
    RazonSocial: Type.Optional(text(120, 'Razón social', 'Comercial del Centro SA de CV')),
    RFC: Type.Optional(
      // SAT: 3 letters (company) or 4 (person), the date as six digits, 3 characters of homoclave.
      matching(
        '^[A-ZÑ&a-zñ]{3,4}[0-9]{6}[A-Za-z0-9]{3}$',
        'debe tener 12 o 13 letras y digitos, como los escribe el SAT',
        'Registro federal de contribuyentes',
        'PELL800101AB1',
      ),
    ),
    Referencias: Type.Optional(text(250, 'Referencias para la entrega', 'Portón verde, junto a la farmacia')),
    CodigoPostal: Type.Optional(
      matching('^[0-9]{5}$', 'debe tener 5 digitos', 'Código postal; obligatorio sin DestinoCode', '06600'),
    ),
    Estado: Type.Optional(text(120, 'Estado', 'Ciudad de México')),
    Municipio: Type.Optional(text(120, 'Municipio o alcaldia', 'Cuauhtémoc')),
    Colonia: Type.Optional(text(120, 'Colonia', 'Juárez')),
    Calle: Type.Optional(text(120, 'Calle', 'Av. Reforma')),
    Numero_exterior: Type.Optional(text(20, 'Número exterior', '250')),
    Numero_interior: Type.Optional(text(20, 'Número interior', '4B')),
    DestinoCode: Type.Optional(
      text(120, 'Código de la sucursal de destino; obligatorio sin CodigoPostal', 'MEX01'),
    ),
  },
  'Quien recibe, y el destino',
  // One of the two is required: docs/contract.md "Guides".
  { anyOf: [{ required: ['CodigoPostal'] }, { required: ['DestinoCode'] }] },
);

export const Goods = section(
  {
    TipoEnvio: Type.Optional(text(40, 'Tipo de envío', 'Paquete')),
    ValorDeclarado: Type.Optional(
      Type.Number({
        minimum: 0,
        description: 'Valor declarado, en MXN',
        examples: [1500.5],
        'x-regla': 'debe ser un numero mayor o igual que 0 (MXN)',
      }),
    ),
    Contenido: text(250, 'Contenido', 'Libros'),
    InformacionAdicional: Type.Optional(text(250, 'Información adicional', 'Frágil')),
    Peso: Type.Optional(measure(1000, 'kg', 'Peso', 2.5)),
    Largo: Type.Optional(measure(500, 'cm', 'Largo', 30)),
    Alto: Type.Optional(measure(500, 'cm', 'Alto', 20)),
    Ancho: Type.Optional(measure(500, 'cm', 'Ancho', 15)),
  },
  'Lo que se envía',
);

export const CreatedBy = section(
  {
    Nombre: Type.Optional(text(120, 'Nombre de quien crea la guía', 'Marta Ruiz')),
    Agencia: Type.Optional(text(120, 'Agencia', 'Agencia Centro')),
  },
  'Quien crea la guía; puede ser un objeto vacío',
);

export const Guide = section(
  { Remitente: Sender, Destinatario: Recipient, Producto: Goods, Creado_por: CreatedBy },
  'Una guía',
);
export type Guide = Static<typeof Guide>;

/** The values of `TipoServicio` (docs/contract.md "Guides"). */
export const SERVICE_TYPES = ['Domicilio', 'the service'] as const;
export const ServiceType = Type.Enum([...SERVICE_TYPES], {
  description: 'Domicilio: entrega a domicilio. the service: el destinatario recoge en la sucursal',
});
export type ServiceType = (typeof SERVICE_TYPES)[number];

/** Most guides in one creation request (docs/contract.md "Guides"). */
export const MAX_GUIDES = 500;

/** Eleven random digits and an ISO 7064 MOD 11,10 check digit (docs/contract.md "Guides"). */
export const GUIDE_NUMBER = '^[1-9][0-9]{11}$';
