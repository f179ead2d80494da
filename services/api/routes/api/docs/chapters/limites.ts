import { FAILURES_PER_USER } from '#shared/auth/login-limit.ts';
import { MAX_GUIDES, MAX_PACKAGES } from '#shared/contracts/guide.ts';
import { MAX_FILE_PAGES } from '#shared/contracts/label-kinds.ts';
import { BODY_LIMIT_MIB, HEADER_LIMIT_KIB, MAX_BODY_VALUES } from '#shared/http/http-errors.ts';
import { html, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

const number = (value: number) => value.toLocaleString('es-MX');

export const limites: Chapter = {
  path: '/limites',
  title: 'Límites',
  content: ({ config }) => {
    const rows = (limits: [string, string][]) => limits.map((cells) => cells.map((cell) => html`${cell}`));
    return html`
<h2>De su cuenta</h2>
<p>Valen para todos los usuarios de la cuenta juntos, salvo que su transportista haya fijado otros para ella. Lo que hagan
otras cuentas no le quita nada.</p>
${table(
  'Límites de la cuenta',
  ['Qué', 'Cuánto'],
  rows([
    ['Solicitudes por segundo', number(config.REQUESTS_PER_SECOND_PER_ACCOUNT)],
    ['Solicitudes de golpe, tras una pausa', number(config.REQUESTS_BURST_PER_ACCOUNT)],
    ['Guías al día', number(config.GUIDES_PER_DAY_PER_ACCOUNT)],
    ['Páginas de etiquetas a la vez', number(config.LABEL_PAGES_PER_ACCOUNT)],
  ]),
)}
<p>Más allá: 429 <a href="/api/docs/errores#cuota_excedida"><code>cuota_excedida</code></a>, con <code>Retry-After</code>. Cada
respuesta dice en <code>RateLimit</code> cuánto queda (<code>r</code>) y en cuántos segundos vuelve a estar todo
(<code>t</code>), y en <code>RateLimit-Policy</code> el límite (<code>q</code>).</p>
<h2>De una solicitud</h2>
${table(
  'Límites de una solicitud',
  ['Qué', 'Cuánto'],
  rows([
    ['Guías por creación, y por archivo de etiquetas', number(MAX_GUIDES)],
    ['Páginas por archivo de etiquetas', number(MAX_FILE_PAGES)],
    ['Paquetes por guía', number(MAX_PACKAGES)],
    ['Cuerpo', `${BODY_LIMIT_MIB} MiB, ${number(MAX_BODY_VALUES)} valores`],
    ['Headers', `${HEADER_LIMIT_KIB} KiB`],
    ['Espera de una etiqueta', `${number(config.LABEL_TIMEOUT_MS / 1_000)} segundos`],
  ]),
)}
<h2>De la sesión</h2>
${table(
  'Límites de la sesión',
  ['Qué', 'Cuánto'],
  rows([
    ['Vida del token', `${number(config.JWT_TTL_S)} segundos`],
    [
      'Intentos fallidos de entrar, en 15 minutos',
      `${FAILURES_PER_USER} de un usuario desde una dirección, ${number(config.LOGIN_FAILURES_PER_ADDRESS)} de una dirección`,
    ],
    ['Memoria de una Idempotency-Key', `${number(config.IDEMPOTENCY_KEY_DAYS)} días`],
  ]),
)}`;
  },
};
