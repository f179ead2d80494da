import { GUIDE_EXAMPLES } from '#api/routes/examples.ts';
import { GUIDE_FIELDS } from '#api/routes/schemas.ts';
import { html, readableJson, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

/** What the schema of a field says of it. */
type Field = { description?: string; examples?: unknown[]; 'x-regla'?: string };
type Section = Field & { required?: string[]; properties?: Record<string, Field> };

const { Referencia, ...sections } = GUIDE_FIELDS as Record<string, Section>;

function fieldsTable(name: string, fields: Record<string, Field>, required: string[] = []) {
  return table(
    name,
    ['Campo', 'Qué es', 'Regla', 'Ejemplo'],
    Object.entries(fields).map(([field, { description, examples, 'x-regla': rule }]) => [
      html`<code>${field}</code>${required.includes(field) && html` <strong>obligatorio</strong>`}`,
      html`${description}`,
      html`${rule}`,
      html`${String(examples?.[0] ?? '')}`,
    ]),
  );
}

export const campos: Chapter = {
  path: '/campos',
  title: 'Campos',
  content: () => html`
<p>Una solicitud lleva <code>TipoServicio</code> (<code>Domicilio</code>, o <code>the service</code> si el destinatario
recoge en la sucursal) y <code>Guia</code>, un array. El destino es <code>Destinatario.CodigoPostal</code> o
<code>DestinoCode</code>: uno de los dos es obligatorio, y <code>DestinoCode</code> decide si están ambos.</p>
<ul>
<li><code>null</code> y <code>""</code> significan que el campo falta. Los textos se recortan.</li>
<li>Los teléfonos admiten espacios, <code>( ) - .</code> y un <code>+</code>; el RFC, espacios y guiones; se guardan limpios.</li>
<li><code>0</code> en peso y medidas significa que no se sabe.</li>
<li>Los tipos no se convierten: <code>"2.5"</code> no es un peso y <code>6600</code> no es un código postal.</li>
<li>Un campo desconocido se rechaza: uno mal escrito no debe perderse en silencio.</li>
</ul>
${Object.entries(sections).map(
  ([name, { description, properties = {}, required }]) => html`
<h2><code>${name}</code></h2>
<p>${description}.</p>
${fieldsTable(name, properties, required)}`,
)}
<h2><code>Referencia</code></h2>
${fieldsTable('Referencia', { Referencia: Referencia as Field })}
<h2>Ejemplos</h2>
${Object.values(GUIDE_EXAMPLES).map(
  ({ summary, value }) => html`
<h3>${summary}</h3>
<pre tabindex="0"><code>${readableJson(value)}</code></pre>`,
)}`,
};
