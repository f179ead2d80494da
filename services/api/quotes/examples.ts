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
