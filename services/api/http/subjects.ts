/**
 * The subjects of operations, in the order of the guide for integrators. Generated clients name files after a subject, so
 * `name` is ASCII; people read the other name.
 */
export const SUBJECTS = {
  Guias: { 'x-displayName': 'Guías', description: 'Crear, leer y cancelar guías, y validarlas antes' },
  Etiquetas: { 'x-displayName': 'Etiquetas', description: 'Una, en PDF, PNG o ZPL; o muchas, en un archivo' },
  Manifiestos: {
    'x-displayName': 'Manifiestos',
    description: 'La lista de lo que se entrega, para firma y sello',
  },
  Eventos: { 'x-displayName': 'Eventos', description: 'Qué pasó con las guías, y cómo seguirlo' },
  Webhooks: { 'x-displayName': 'Webhooks', description: 'Recibir los eventos sin preguntar' },
  Sucursales: { 'x-displayName': 'Sucursales', description: 'Sucursales, cobertura y códigos postales' },
  Llaves: { 'x-displayName': 'Llaves', description: 'Lo que un programa manda en lugar de un token' },
  Autenticacion: { 'x-displayName': 'Autenticación', description: 'Entrar, validar el token, permisos' },
} as const;
export type Subject = keyof typeof SUBJECTS;
