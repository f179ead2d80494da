import { readFileSync } from 'node:fs';
import { html, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

/** Size of a label on paper and in dots of a head of 203 and of 300 dpi. */
const SIZES = [
  ['Carta', '8.5 × 11 pulgadas', '1728 × 2236', '2550 × 3300'],
  ['10 × 15', '100 × 150 mm', '799 × 1200', '1179 × 1771'],
  ['Pequeña', '100 × 100 mm', '799 × 799', '1179 × 1179'],
];

/** The beginning of a bar code as printers make it, six times as large: the file, how it looks, why, and what to do. */
const CODES = [
  [
    'bueno',
    'Barras y espacios parejos',
    'Así debe verse',
    'Cada barra mide un número exacto de puntos, con bordes rectos, y a los lados queda blanco.',
  ],
  [
    'ajustado',
    'Barras que debían ser iguales, unas más anchas que otras',
    '«Ajustar a la página»',
    'El controlador encogió la etiqueta a 94 %: los puntos ya no coinciden y las barras salen desparejas. Imprima al 100 %.',
  ],
  [
    'oscuro',
    'Barras gruesas que casi cierran los espacios',
    'Demasiado oscuro',
    'Las barras crecen y cierran los espacios. Baje la oscuridad (calor).',
  ],
  [
    'claro',
    'Barras delgadas, grises y rotas',
    'Demasiado claro',
    'A las barras les faltan puntos. Suba la oscuridad o baje la velocidad; revise que el papel sea para su impresora.',
  ],
  [
    'sucio',
    'Líneas blancas de arriba abajo que borran barras',
    'Cabezal sucio o dañado',
    'Una línea blanca a lo largo de todo el papel borra barras enteras. Limpie el cabezal con alcohol isopropílico; si sigue, cámbielo.',
  ],
  [
    'cortado',
    'El código empieza en la orilla del papel',
    'Sin blanco a los lados',
    'El lector no sabe dónde empieza. Centre el papel, calibre la impresora y quite los márgenes que agrega el controlador.',
  ],
] as const;

const pictureOf = (name: string) => {
  const file = readFileSync(new URL(`../pictures/${name}.png`, import.meta.url));
  return `data:image/png;base64,${file.toString('base64')}`;
};
const FIGURES = CODES.map(
  ([name, alt, title, advice]) => html`<figure>
<img src="${pictureOf(name)}" alt="${alt}" width="192" height="72">
<figcaption><strong>${title}.</strong> ${advice}</figcaption>
</figure>\n`,
);

export const impresoras: Chapter = {
  path: '/impresoras',
  title: 'Impresoras',
  content: () => html`
<p>Para quien instala la impresora: qué papel, qué formato, cómo mandarlo y cómo saber si salió bien.</p>
<h2>Papel</h2>
${table(
  'Medidas de las etiquetas',
  ['Etiqueta', 'Papel', 'Puntos a 203 dpi', 'Puntos a 300 dpi'],
  SIZES.map((cells) => cells.map((cell) => html`${cell}`)),
)}
<p>203 dpi son 8 puntos por milímetro: la densidad de casi todas las térmicas. La hoja de datos de la suya dice cuál tiene. El rollo
de 4 × 6 pulgadas (101.6 × 152.4 mm) sirve para la de 10 × 15.</p>
<h2>Qué formato</h2>
<ul>
<li><strong>Zebra, o compatible con ZPL</strong>: <code>formato=zpl</code>, con los <code>dpi</code> de la impresora. Ningún controlador
la toca: salen los mismos puntos que muestra el PDF.</li>
<li><strong>Otra térmica, o un programa que imprime PDF</strong>: el PDF, con el controlador de la impresora.</li>
<li><strong>Impresora de oficina</strong>: la etiqueta carta, en PDF.</li>
</ul>
<h2>Mandar ZPL</h2>
<p>Pida la etiqueta y mándela tal cual, sin controlador que la interprete:</p>
<pre tabindex="0"><code>curl -sS "$API/api/guias/etiqueta-10x15/$GUIA?formato=zpl&amp;dpi=203" \\
  -H "Authorization: Bearer $TOKEN" -o guia.zpl

lp -d zebra -o raw guia.zpl          # Linux y macOS: una cola de impresión
nc -w 5 192.168.1.50 9100 &lt; guia.zpl   # por la red, a la dirección de la impresora
copy /b guia.zpl \\\\equipo\\zebra       # Windows: una impresora compartida</code></pre>
<p>Si en vez de la etiqueta salen letras como <code>^XA^PW799</code>, la impresora está en otro lenguaje (EPL, línea por línea) o la cola no
es «raw». Si sale más chica o más grande, <code>dpi</code> no es el de la impresora.</p>
<h2>Imprimir el PDF con controlador</h2>
<ol>
<li>En las preferencias del controlador elija el papel con la medida exacta de la etiqueta, sin márgenes y en vertical.</li>
<li>Al imprimir, elija «Tamaño real» o «100 %». Nunca «Ajustar a la página», «Reducir» ni «Ampliar».</li>
<li>Desde Linux o macOS, sin ventana: <code>lp -d termica -o media=Custom.100x150mm -o print-scaling=none guia.pdf</code></li>
<li>Apague lo que mejora fotos: suavizado, tramado, ahorro de tinta.</li>
</ol>
<p>Mida la línea horizontal de arriba: 92.5 mm en las de 10 × 15 y 10 × 10. Si mide otra cosa, algo la está escalando.</p>
<h2>Oscuridad y velocidad</h2>
<p>Empiece a media escala de oscuridad. Súbala hasta que las barras salgan completas, y no más: el calor de sobra las engorda y gasta el
cabezal. Si con la oscuridad alta siguen claras, baje la velocidad. Cada papel pide su ajuste: repita la prueba al cambiar de
rollo.</p>
<h2>Cómo se ve un código malo</h2>
<p>Es el principio del mismo código de barras, ampliado:</p>
<div class="figuras">${FIGURES}</div>
<h2>Antes de mandar paquetes</h2>
<ol>
<li>Escanee los dos códigos con el lector que use su almacén, también de lado y a un brazo de distancia.</li>
<li>Revise que el texto no llegue a la orilla y que la segunda etiqueta caiga en el mismo lugar que la primera.</li>
<li>Guarde una etiqueta buena para comparar.</li>
</ol>`,
};
