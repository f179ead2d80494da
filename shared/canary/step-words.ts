import type { Step } from './report.ts';

/** What a customer does in each step, in Spanish: the words of "Estado" and of the canary's page. */
export const STEP_WORDS: Readonly<Record<Step, string>> = {
  create: 'crear guías',
  read: 'consultar su guía',
  repeat: 'repetir una creación y recibir la misma guía',
  print: 'imprimir etiquetas',
  'read-label': 'leer lo que dice su etiqueta',
  quote: 'cotizar',
  branch: 'consultar sucursales',
  'postal-code': 'consultar códigos postales',
  page: 'ver la página de rastreo',
  'other-label': 'imprimir',
  delivery: 'seguir un envío hasta su entrega',
  webhook: 'recibir avisos en su webhook',
  manifest: 'hacer un manifiesto',
  cancel: 'cancelar su guía',
  login: 'entrar',
  clock: 'confiar en la hora de las respuestas',
};
