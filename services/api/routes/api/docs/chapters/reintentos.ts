import { WHEN_REPEATED, WHEN_TO_REPEAT, WHEN_TO_REPEAT_HEADS } from '#api/routes/when-to-repeat.ts';
import { html, prose, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

export const reintentos: Chapter = {
  path: '/reintentos',
  title: 'Reintentos',
  content: ({ config }) => html`
<p>Solo crear guías cambia algo que no debe pasar dos veces. Las demás operaciones se pueden repetir siempre.</p>
<h2>Mande siempre una <code>Idempotency-Key</code></h2>
<p>Es el nombre de su solicitud: por ejemplo el número del pedido. Repetida con el mismo contenido dentro de
${config.IDEMPOTENCY_KEY_DAYS} días, da la misma respuesta y no crea nada; la respuesta lleva entonces
<code>Idempotent-Replayed: true</code>. La clave es de su usuario. Genérela y guárdela <em>antes</em> de mandar la solicitud: si
su programa se cae en medio, al volver repite con la misma.</p>
<h2>Cuándo repetir una creación</h2>
${table(
  'Cuándo repetir',
  WHEN_TO_REPEAT_HEADS.map((head) => head.replaceAll('`', '')),
  WHEN_TO_REPEAT.map((cells) => cells.map(prose)),
)}
<p>${WHEN_REPEATED}</p>
<h2>Cómo repetir</h2>
<ol>
<li>Espere los segundos de <code>Retry-After</code>. Si no hay, un segundo la primera vez y el doble cada vez, con algo de azar.</li>
<li>Ponga un límite, por ejemplo cinco intentos, y después avise a una persona.</li>
<li>Dé a cada intento un tiempo límite de 30 segundos. Una conexión cortada sin respuesta se repite con la misma clave.</li>
<li>Tras un 401 <code>token_expirado</code>, entre otra vez y repita con la misma clave.</li>
</ol>`,
};
