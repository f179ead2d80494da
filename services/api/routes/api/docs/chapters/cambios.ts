import { html } from '../html.ts';
import type { Chapter } from './chapter.ts';

export const cambios: Chapter = {
  path: '/cambios',
  title: 'Cambios',
  content: () => html`
<p>Los cambios solo agregan: lo que su programa manda hoy sirve mañana. Acepte campos nuevos en las respuestas y códigos nuevos
en los errores.</p>
<h2>1.2</h2>
<ul>
<li>Todo error tiene <code>codigo</code>, y <a href="/api/docs/errores">cada código dice qué hacer</a>.</li>
<li>Un campo con un tipo equivocado lo dice, y uno mal escrito pregunta por el que se le parece.</li>
<li>Teléfonos, RFC y textos admiten formas descuidadas. <code>Prefer: handling=lenient</code> omite los campos desconocidos y los
nombra.</li>
<li><code>Referencia</code>, su propio número, en cada guía y en sus etiquetas. <code>Producto.Paquetes</code>: cuántos paquetes
tiene.</li>
<li>Las etiquetas imprimen griego, cirílico, vietnamita y signos. <code>advertencias</code> nombra los textos que no salen
completos.</li>
<li><code>POST /api/guias/etiquetas</code>: muchas etiquetas en un solo archivo. <code>?paquete=2</code>: una sola página.</li>
<li><code>POST /api/guias/validar</code> revisa guías sin crearlas; <code>GET /api/guias/{guia}</code> da una guía completa;
<code>POST /api/guias/{guia}/cancelar</code> la cancela.</li>
<li>Una <code>Idempotency-Key</code> se recuerda siete días, o lo que fije su transportista.</li>
<li>Los usuarios de una cuenta ven las mismas guías. <a href="/api/docs/limites">Los límites</a> son por cuenta, y cada respuesta
dice cuánto queda.</li>
<li><code>POST /api/auth/logout</code> termina un token.</li>
<li>Un parámetro desconocido se rechaza, en vez de ignorarse.</li>
<li>El documento OpenAPI tiene otros nombres de operaciones y de esquemas: un cliente que genere de nuevo cambia con ellos. Las
solicitudes y las respuestas son las mismas.</li>
</ul>
<h2>1.1</h2>
<ul>
<li>Etiquetas carta y pequeña en PDF, con un QR de rastreo y varias páginas para varios paquetes.</li>
<li><code>Idempotency-Key</code> al crear guías.</li>
</ul>
<h2>1.0</h2>
<ul>
<li>Entrar, crear guías, validar destinos, listar sucursales.</li>
</ul>`,
};
