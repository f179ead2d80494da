import type { Adjustment } from '#shared/contracts/adjustment.ts';
import type { Branch } from '#shared/contracts/branch.ts';
import type { PostalCode } from '#shared/contracts/postal-code.ts';

/** Examples in the OpenAPI document; the demo data has these branches. */

const HOME = {
  Remitente: { Nombre: 'Ana López' },
  Destinatario: {
    Nombre: 'Luis Pérez',
    Calle: 'Av. Juárez',
    Numero_exterior: '800',
    Colonia: 'Centro',
    Municipio: 'Monterrey',
    Estado: 'Nuevo León',
    CodigoPostal: '64000',
  },
  Producto: { Contenido: 'Libros' },
  Creado_por: {},
};

const OTHER_HOME = {
  Nombre: 'Rosa Díaz',
  Calle: 'Av. Hidalgo',
  Numero_exterior: '400',
  Colonia: 'Guadalajara Centro',
  Municipio: 'Guadalajara',
  Estado: 'Jalisco',
  CodigoPostal: '44100',
};

const FULL = {
  Remitente: {
    Nombre: 'Ana López',
    Telefono: '55 1234 5678',
    Celular: '+52 55 9876 5432',
    Email: 'ana@ejemplo.mx',
    CodigoPostal: '06600',
    Estado: 'Ciudad de México',
    Municipio: 'Cuauhtémoc',
    Colonia: 'Juárez',
    Calle: 'Av. Paseo de la Reforma',
    Numero_exterior: '250',
    Numero_interior: 'Local 3',
  },
  Destinatario: {
    Nombre: 'Luis Pérez Muñoz',
    Email: 'luis@ejemplo.mx',
    Telefono: '8112345678',
    Celular: '8198765432',
    RazonSocial: 'Comercial del Norte SA de CV',
    RFC: 'CNO800101AB1',
    Referencias: 'Portón verde, junto a la farmacia',
    CodigoPostal: '64000',
    Estado: 'Nuevo León',
    Municipio: 'Monterrey',
    Colonia: 'Centro',
    Calle: 'Av. Juárez',
    Numero_exterior: '800',
    Numero_interior: '4B',
  },
  Producto: {
    TipoEnvio: 'Paquete',
    ValorDeclarado: 1500.5,
    Contenido: 'Libros',
    InformacionAdicional: 'Frágil',
    Peso: 2.5,
    Largo: 30,
    Alto: 20,
    Ancho: 15,
    Paquetes: 2,
  },
  Creado_por: { Nombre: 'Marta Ruiz', Agencia: 'Agencia Centro' },
  Referencia: 'PEDIDO-1042',
};

/** Bodies of a creation, by name. */
export const GUIDE_EXAMPLES = {
  minima: { summary: 'Entrega a domicilio', value: { TipoServicio: 'Domicilio', Guia: [HOME] } },
  completa: { summary: 'Todos los campos', value: { TipoServicio: 'Domicilio', Guia: [FULL] } },
  varias: {
    summary: 'Varias guías: se crean todas o ninguna',
    value: {
      TipoServicio: 'Domicilio',
      Guia: [HOME, { ...HOME, Destinatario: OTHER_HOME }],
    },
  },
  sucursal: {
    summary: 'El destinatario recoge en la sucursal',
    value: {
      TipoServicio: 'the service',
      Guia: [{ ...HOME, Destinatario: { Nombre: 'Luis Pérez', DestinoCode: 'MTY01' } }],
    },
  },
};

/** Bodies of a request for quotes, by name. */
export const QUOTE_EXAMPLES = {
  minima: {
    summary: 'Un envío, con todos los servicios',
    value: {
      Guia: [
        {
          Destinatario: { CodigoPostal: '64000' },
          Producto: { Peso: 2.5, Largo: 30, Alto: 20, Ancho: 15, ValorDeclarado: 1500 },
        },
      ],
    },
  },
  servicio: {
    summary: 'Un servicio, con tres paquetes iguales',
    value: {
      TipoServicio: 'Domicilio',
      Guia: [
        {
          Destinatario: { CodigoPostal: '44100' },
          Producto: { Peso: 8, Largo: 40, Alto: 30, Ancho: 30, Paquetes: 3 },
        },
      ],
    },
  },
};

/** A parcel that was quoted with 2.5 kg, and weighs 8 kg. */
const WEIGHED = { Peso: 8, Largo: 40, Alto: 30, Ancho: 30 };

/** Bodies of a registration of events, by name. */
export const EVENTS_EXAMPLES = {
  eventos: {
    summary: 'Eventos de guías',
    value: {
      Eventos: [
        { Guia: '390458235877', Tipo: 'EnReparto', Ocurrido: '2026-11-22T10:30:00-06:00', Sucursal: 'MTY01' },
      ],
    },
  },
  pesaje: {
    summary: 'Lo que pesa y mide un paquete',
    value: {
      Eventos: [{ Guia: '390458235877', Tipo: 'Pesaje', Ocurrido: '2026-11-21T18:05:00-06:00', ...WEIGHED }],
    },
  },
  manifiesto: {
    summary: 'Un manifiesto que se recoge, salvo una guía que falta',
    value: {
      Manifiesto: 'M48291365074',
      Tipo: 'Recolectado',
      Ocurrido: '2026-11-21T18:30:00-06:00',
      Faltan: ['390458235877'],
    },
  },
};

export const CREATED_EXAMPLE = {
  SEND_GUIA: '390458235877',
  SEND_SUCU_ORIG: 'MEX01',
  SEND_SUCU_DEST: 'MTY01',
  SEND_ESTATUS: 'Documentado',
  SEND_FECHA: '2026-11-21T05:05:10',
  SEND_REMITENTE: 'Ana López',
  SEND_DESTINATARIO: 'Luis Pérez',
  SEND_FLETE: 0,
  SEND_TOTAL: 0,
};

export const COMPLETE_EXAMPLE = {
  ...CREATED_EXAMPLE,
  TipoServicio: 'Domicilio',
  ...HOME,
  Referencia: 'PEDIDO-1042',
} as const;

export const BRANCH_EXAMPLE: Branch = {
  Codigo: 'MEX01',
  Nombre: 'Ciudad de México Juárez',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Colonia: 'Juárez',
  Calle: 'Av. Paseo de la Reforma',
  Numero: '250',
  CodigoPostal: '06600',
  Telefono: '5550000101',
  Horario: 'Lunes a viernes de 9:00 a 19:00',
  Origen: true,
  Destino: true,
  Activa: true,
};

export const POSTAL_CODE_EXAMPLE: PostalCode = {
  CodigoPostal: '06600',
  Estado: 'Ciudad de México',
  Municipio: 'Cuauhtémoc',
  Ciudad: 'Ciudad de México',
  Colonias: ['Juárez'],
};

const EVENT = {
  Id: 'MTY01-000123',
  Tipo: 'Entregado',
  Ocurrido: '2026-11-22T19:05:00.000Z',
  Registrado: '2026-11-22T19:05:04.120Z',
  Sucursal: 'MTY01',
} as const;

export const GUIDE_EVENT_EXAMPLE = { ...EVENT, Recibe: 'Luis Pérez', Anulado: false };

export const FEED_EXAMPLE = {
  ...EVENT,
  SEND_GUIA: '390458235877',
  Referencia: 'PEDIDO-1042',
  SEND_ESTATUS: 'Entregado',
  Version: 4,
} as const;

export const ADJUSTMENT_EXAMPLE: Adjustment = {
  Version: 12,
  Antes: 194.3,
  Ahora: 257.16,
  Diferencia: 62.86,
  Lineas: [
    { Concepto: 'flete', Descripcion: 'Zona 3, hasta 10 kg', Antes: 142, Ahora: 196, Diferencia: 54 },
    { Concepto: 'descuento', Descripcion: '10 % de 196.00', Antes: -14.2, Ahora: -19.6, Diferencia: -5.4 },
    {
      ...{ Concepto: 'combustible', Descripcion: '11.5 % de 176.40' },
      ...{ Antes: 14.7, Ahora: 20.29, Diferencia: 5.59 },
    },
    {
      ...{ Concepto: 'seguro', Descripcion: '1.5 % de 1500.00, minimo 25.00' },
      ...{ Antes: 25, Ahora: 25, Diferencia: 0 },
    },
    { Concepto: 'iva', Descripcion: '16 % de 221.69', Antes: 26.8, Ahora: 35.47, Diferencia: 8.67 },
  ],
};

export const WEIGHING_EXAMPLE = {
  Tipo: 'Pesaje',
  ...{ Id: 'MEX01-000124', Sucursal: 'MEX01', ...WEIGHED },
  ...{ Ocurrido: '2026-11-22T00:05:00.000Z', Registrado: '2026-11-22T00:05:04.120Z' },
  ...{ Ajuste: ADJUSTMENT_EXAMPLE, Anulado: false },
} as const;
