import { html, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

export const etiquetas: Chapter = {
  path: '/etiquetas',
  title: 'Etiquetas',
  content: ({ operations }) => html`
<p>Una etiqueta es un PDF listo para imprimir, o ese mismo PDF como PNG o ZPL. Se pide y se recibe en una sola solicitud, y se
puede pedir cuantas veces haga falta: sale igual.</p>
${table(
  'Etiquetas',
  ['Solicitud', 'Qué da'],
  operations
    .filter(({ tag }) => tag === 'Etiquetas')
    .map(({ method, path, id, summary }) => [
      html`<code>${method} ${path}</code>`,
      html`<a href="/api/docs/probar#/Etiquetas/${id}">${summary}</a>`,
    ]),
)}
<h2>Cuál elegir</h2>
<ul>
<li><strong>Carta</strong> (8.5 × 11 pulgadas), para una impresora de oficina: remitente, destinatario, contenido, el QR de rastreo y
el código de barras de la guía.</li>
<li><strong>10 × 15</strong> (10 × 15 cm, «4 × 6»), para el rollo que usa la mayoría de las impresoras térmicas: una página por
paquete, con destino y código postal en grande, la dirección con sus referencias, remitente y contenido.</li>
<li><strong>Pequeña</strong> (10 × 10 cm), para una impresora térmica con etiquetas más cortas: una página por paquete.</li>
</ul>
<p>Cuántos paquetes son lo dice <code>Producto.Paquetes</code> de la guía, o <code>?paquetes=3</code>; <code>?paquete=2</code> da
solo la página de ese paquete. El código de barras de cada uno es la guía, un guion y el paquete:
<code>390458235877-02</code>.</p>
<p>El nombre del archivo dice cuál es: <code>guia-390458235877.pdf</code>, <code>guia-390458235877-10x15.pdf</code>,
<code>guia-390458235877-10x10.pdf</code>.</p>
<h2>Letras</h2>
<p>Se imprimen las letras latinas de casi cualquier idioma, griegas y cirílicas, y signos como <code>№ ½ ≤ → ✓ ★ ☎</code>. En lugar de
otras letras y de emoji sale <code>•</code>. La respuesta que crea la guía lo advierte: <code>advertencias</code> nombra el campo y
los caracteres, con el código
<a href="/api/docs/errores#caracteres_no_imprimibles"><code>caracteres_no_imprimibles</code></a>.</p>
<h2>PDF, PNG o ZPL</h2>
<p>Se elige con <code>?formato=pdf</code>, <code>png</code> o <code>zpl</code>, o con el header <code>Accept</code>. Los tres muestran
lo mismo.</p>
<ul>
<li><strong>PDF</strong>, si no pide otro: para cualquier impresora que tenga un controlador.</li>
<li><strong>ZPL</strong> (<code>application/zpl</code>), para impresoras Zebra y compatibles: se manda tal cual a la impresora, sin
controlador que lo cambie. Trae todas las páginas.</li>
<li><strong>PNG</strong> (<code>image/png</code>), para programas que imprimen imágenes: en blanco y negro, una sola página. Si hay
varios paquetes, pida cada uno con <code>paquete</code>.</li>
</ul>
<p><code>dpi</code> dice la densidad de la impresora, para PNG y ZPL: <code>203</code> (8 puntos por milímetro), si falta, o
<code>300</code>.</p>
<pre tabindex="0"><code>curl -sS "$API/api/guias/etiqueta-10x15/$GUIA?formato=zpl" \\
  -H "Authorization: Bearer $TOKEN" -o guia.zpl</code></pre>
<h2>En la impresora</h2>
<p><a href="/api/docs/impresoras">Impresoras</a> dice cómo instalarla, cómo mandarle ZPL y cómo se ve un código malo. Lo más
importante:</p>
<ul>
<li>Imprima a tamaño real: «Tamaño real» o «100 %», nunca «Ajustar a la página». Otra escala deja los códigos ilegibles para
algunos lectores.</li>
<li>En una térmica, elija como papel el tamaño exacto de la etiqueta, sin márgenes.</li>
<li>Escanee la primera que imprima, antes que el transportista.</li>
</ul>
<h2>Muchas a la vez</h2>
<p><code>POST /api/guias/etiquetas</code> da un solo archivo con las etiquetas de muchas guías, en el orden de la solicitud, también con
<code>formato=zpl</code>. <code>Tipo</code> es <code>carta</code>,
<code>10x15</code> o <code>pequena</code>:</p>
<pre tabindex="0"><code>{ "Guias": ["390458235877", "482913650724"], "Tipo": "pequena" }</code></pre>
<p>Con una guía que no existe no se imprime ninguna, y <code>details</code> dice cuál es. Si la conexión se corta a la mitad, el
archivo está incompleto: repita la solicitud.</p>
<h2>Sin pedirla dos veces</h2>
<p>Cada etiqueta suelta lleva un <code>ETag</code>. Mándelo en <code>If-None-Match</code>: mientras la etiqueta no cambie, la
respuesta es 304, sin cuerpo.</p>`,
};
