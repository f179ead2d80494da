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
  cobro: {
    summary: 'Se cobra al entregar; con el permiso guias.cobro',
    value: {
      TipoServicio: 'Domicilio',
      Guia: [{ ...HOME, Cobro: { Monto: 450.5, Medios: ['efectivo', 'tarjeta'] } }],
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
