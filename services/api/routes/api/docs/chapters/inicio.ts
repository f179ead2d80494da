import { GUIDE_EXAMPLES } from '#api/routes/examples.ts';
import { html, readableJson, table } from '../html.ts';
import type { Chapter } from './chapter.ts';

export const inicio: Chapter = {
  path: '',
  title: 'Primera solicitud',
  content: ({ url, config, operations }) => html`
<p>Con esta API usted crea guías de envío e imprime sus etiquetas desde su propio sistema. Bastan tres solicitudes:
entrar, crear una guía, imprimirla. Necesita <code>curl</code>, y el usuario y la contraseña que le dio su transportista: póngalos en lugar de los de
demostración.</p>

<h2>1. Entre y guarde el token</h2>
<pre tabindex="0"><code>API=${url}
USUARIO=demo
CLAVE=demo1234
TOKEN=$(curl -sS -X POST "$API/api/auth/login" -H "X-Username: $USUARIO" -H "X-Password: $CLAVE" \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')</code></pre>
<p>El token vale ${config.JWT_TTL_S} segundos (<code>expires_in</code>): guárdelo y úselo en todas las solicitudes.</p>

<h2>2. Cree una guía</h2>
<pre tabindex="0"><code>RESPUESTA=$(curl -sS "$API/api/guias/crear" -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' -H "Idempotency-Key: pedido-1042" \\
  -d '${readableJson(GUIDE_EXAMPLES.minima.value)}')
echo "$RESPUESTA"
GUIA=$(echo "$RESPUESTA" | sed 's/.*"SEND_GUIA":"\\([^"]*\\)".*/\\1/')</code></pre>
<p><code>SEND_GUIA</code> es el número de guía. La <code>Idempotency-Key</code> nombra su pedido: si la respuesta se pierde,
<a href="/api/docs/reintentos">repita la misma solicitud</a> y recibirá la misma guía, no otra. En <code>Guia</code> caben
varias guías: se crean todas o ninguna. <a href="/api/docs/campos">Estos son los campos</a>; <code>POST /api/guias/validar</code>
revisa la misma solicitud sin crear nada.</p>

<h2>3. Imprima la etiqueta</h2>
<pre tabindex="0"><code>curl -sS "$API/api/guias/etiqueta/$GUIA" -H "Authorization: Bearer $TOKEN" -o guia.pdf</code></pre>
<p>Abra <code>guia.pdf</code> e imprímalo a tamaño real. Hay <a href="/api/docs/etiquetas">otras etiquetas</a>, también
para impresoras térmicas.</p>

<h2>Si algo sale mal</h2>
<p>Todo error dice qué pasó en <code>message</code>, con un <code>codigo</code> estable para su programa, y en
<code>details</code> qué campo de qué guía lo causa. <a href="/api/docs/errores">Cada código dice qué hacer</a>. Al pedir
ayuda, cite el <code>requestId</code>.</p>

<h2>Todas las operaciones</h2>
${table(
  'Operaciones',
  ['Solicitud', 'Para qué', 'Permiso'],
  operations.map(({ method, path, id, tag, summary, permission }) => [
    html`<code>${method} ${path}</code>`,
    html`<a href="/api/docs/probar#/${tag}/${id}">${summary}</a>`,
    html`${permission ? html`<code>${permission}</code>` : '–'}`,
  ]),
)}
<p>Pruébelas en <a href="/api/docs/probar">esta página</a>, sin escribir código. Para generar un cliente en su lenguaje
está el documento <a href="/api/openapi.json">OpenAPI 3.1</a>.</p>`,
};
