/** The paths of the guide's chapters, below `/api/docs`. */
export const CHAPTERS = [
  '',
  '/campos',
  '/errores',
  '/reintentos',
  '/limites',
  '/etiquetas',
  '/impresoras',
  '/rastreo',
  '/webhooks',
  '/cambios',
];
