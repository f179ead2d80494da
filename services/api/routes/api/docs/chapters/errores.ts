import { httpErrors } from '#api/errors.ts';
import type { ErrorParams } from '#shared/errors.ts';
import type { HttpError } from '#shared/http/http-errors.ts';
import { ADVICE } from '../advice.ts';
import { type Html, html, prose, readableJson } from '../html.ts';
import type { Chapter, DocumentedOperation } from './chapter.ts';

/** What the service fills into a message. */
const FILLED = new Proxy({} as ErrorParams, { get: () => '…' });

const TABLE: [string, HttpError][] = Object.entries(httpErrors);

/** The texts and statuses of one code, in the order of the table. */
function showCode(codigo: string, advice: string, operations: DocumentedOperation[]): Html {
  const errors = TABLE.map(([, error]) => error).filter((error) => error.codigo === codigo);
  const texts = errors.map(({ message }) => (typeof message === 'string' ? message : message(FILLED, [])));
  const where = operations.filter(({ codigos }) => Object.values(codigos).flat().includes(codigo));
  const documented = where.flatMap(({ codigos }) =>
    Object.keys(codigos).filter((status) => codigos[status]?.includes(codigo)),
  );
  const statuses = documented.length > 0 ? documented : errors.map(({ status }) => String(status));
  const everywhere = where.length === operations.length || where.length === 0;
  return html`
<article id="${codigo}">
<h3><code>${codigo}</code> ${[...new Set(statuses)].toSorted().join(' o ')}</h3>
${[...new Set(texts)].map((text) => html`<p class="nota">${text}</p>`)}
<p>${prose(advice)}</p>
${!everywhere && html`<p class="nota">En: ${where.map(({ id }) => id).join(', ')}.</p>`}
</article>`;
}

const EXAMPLE = {
  response: 'ERROR',
  message: "El campo 'Remitente.Nombre' es requerido",
  codigo: 'campo_requerido',
  requestId: '0b8e1f0c-6d5e-4c0e-9d55-2d1f0b8e1f0c',
  details: [
    {
      indice: 0,
      campo: 'Remitente.Nombre',
      codigo: 'campo_requerido',
      message: "El campo 'Remitente.Nombre' es requerido",
    },
  ],
};

export const errores: Chapter = {
  path: '/errores',
  title: 'Errores',
  content: ({ operations }) => html`
<p>Todo error es JSON de una sola forma, con el status de HTTP que le corresponde:</p>
<pre tabindex="0"><code>${readableJson(EXAMPLE)}</code></pre>
<ul>
<li><code>codigo</code> es estable: decida con él. El texto de <code>message</code> puede pulirse.</li>
<li><code>details</code> nombra los primeros 50 problemas; si hay más, <code>detailsTotal</code> dice cuántos. <code>indice</code> es
la posición en el array de la solicitud, desde 0.</li>
<li>400 significa que la misma solicitud nunca servirá; 503 y 429, que puede repetirse
<a href="/api/docs/reintentos">tras <code>Retry-After</code></a>.</li>
</ul>
<h2>Qué hacer con cada código</h2>
${Object.entries(ADVICE).map(([codigo, advice]) => showCode(codigo, advice, operations))}`,
};
