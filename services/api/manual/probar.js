// Sends the requests that a person tries, and shows the answers. Only this page holds the token and the guide.
let token = '';
let guide = '';
const api = document.querySelector('script[data-api]').dataset.api;
const steps = [...document.querySelectorAll('form[data-paso]')];
const stepOf = (name) => steps.find(({ dataset }) => dataset.paso === name);

/** Each step's request, from the fields of its form. */
const requests = {
  entrar: ({ usuario, clave }) => ({
    method: 'POST',
    path: '/api/auth/login',
    headers: { 'X-Username': inUtf8(usuario), 'X-Password': inUtf8(clave) },
  }),
  crear: ({ cuerpo }) => ({
    method: 'POST',
    path: '/api/guias/crear',
    headers: { 'Idempotency-Key': `probar-${Date.now()}` },
    body: cuerpo,
  }),
  etiqueta: ({ guia, tipo, formato, paquete }) => ({
    method: 'GET',
    path: `/api/guias/${tipo}/${encodeURIComponent(guia)}?${new URLSearchParams({ formato, ...(paquete && { paquete }) })}`,
  }),
  simular: ({ guia, escenario, hasta }) => ({
    method: 'POST',
    path: `/api/guias/${encodeURIComponent(guia)}/simular`,
    body: JSON.stringify({ Escenario: escenario, ...(hasta && { Hasta: hasta }) }),
  }),
  eventos: ({ guia }) => ({ method: 'GET', path: `/api/guias/${encodeURIComponent(guia)}/eventos` }),
  otra: ({ operacion, ruta, cuerpo }) => ({
    method: document.querySelector(`option[value="${operacion}"]`).dataset.metodo,
    path: ruta,
    ...(cuerpo && { body: cuerpo }),
  }),
};

/** What a step's success leaves to the others. */
const results = {
  entrar({ data }) {
    token = data.access_token;
  },
  crear({ data }) {
    guide = data[0].SEND_GUIA;
    for (const field of document.querySelectorAll('input[name="guia"]')) field.value = guide;
    document.querySelector('a.rastreo').href = `/rastreo/${guide}`;
    chooseOperation();
  },
};

/** A header's letters are bytes. */
function inUtf8(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

async function runStep(form) {
  const { paso } = form.dataset;
  if (form.ariaBusy === 'true') return;
  if (paso !== 'entrar' && !token) {
    stepOf('entrar').usuario.focus();
    return say(form, 'Entre primero, en el paso 1.');
  }
  const request = requests[paso](Object.fromEntries(new FormData(form)));
  form.ariaBusy = 'true';
  say(form, 'Esperando la respuesta…');
  try {
    await showAnswer(form, request, await send(request));
  } catch {
    say(form, 'No hubo respuesta. Revise su conexión e intente de nuevo.');
  }
  form.ariaBusy = 'false';
}

async function send({ method, path, headers, body }) {
  const started = performance.now();
  const answer = await fetch(path, {
    method,
    body,
    cache: 'no-store',
    credentials: 'omit',
    headers: {
      ...headers,
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(body && { 'Content-Type': 'application/json' }),
    },
  });
  const content = await answer.blob();
  return { answer, content, ms: Math.round(performance.now() - started) };
}

async function showAnswer(form, request, { answer, content, ms }) {
  const section = form.closest('section');
  const json = content.type.startsWith('application/json') ? JSON.parse(await content.text()) : undefined;
  const shown = json ? [code(JSON.stringify(json, null, 2))] : await showFile(content, answer.headers);
  const advice = json?.codigo
    ? [linkTo(`/api/docs/errores#${json.codigo}`, `Qué hacer con ${json.codigo}`)]
    : [];
  for (const old of section.querySelectorAll('[data-archivo]')) URL.revokeObjectURL(old.href);
  section.querySelector('.contenido').replaceChildren(...advice, ...shown);
  section.querySelector('details code').textContent = curlOf(request);
  section.querySelector('.respuesta').hidden = false;
  say(form, `${answer.status}${json ? ` · ${json.message}` : ''} · ${ms} ms`);
  if (answer.ok) results[form.dataset.paso]?.(json);
}

/** Shows a label as it is printed, and a link to save it. */
async function showFile(content, headers) {
  const url = URL.createObjectURL(content);
  const name = /filename="([^"]+)"/.exec(headers.get('content-disposition'))?.[1] ?? 'etiqueta';
  const save = linkTo(url, `Guardar ${name}`);
  Object.assign(save, { download: name }).dataset.archivo = '';
  if (content.type === 'application/pdf') return [save, pdf(url, name)];
  if (content.type === 'image/png')
    return [save, Object.assign(new Image(), { src: url, alt: `La etiqueta ${name}` })];
  return [save, code(await content.text())];
}

/** Browsers without a viewer, such as those of most phones, show the link. */
function pdf(url, name) {
  const view = Object.assign(document.createElement('object'), { data: url, type: 'application/pdf' });
  view.setAttribute('aria-label', `La etiqueta ${name}`);
  const open = linkTo(url, 'Ábralo en otra pestaña');
  open.target = '_blank';
  view.append('Este navegador no muestra un PDF dentro de la página. ', open, '.');
  return view;
}

function linkTo(href, text) {
  return Object.assign(document.createElement('a'), { href, textContent: text });
}

function code(text) {
  const block = Object.assign(document.createElement('pre'), { tabIndex: 0 });
  block.append(Object.assign(document.createElement('code'), { textContent: text }));
  return block;
}

/** Writes the request for a shell; what is secret is a variable. */
function curlOf({ method, path, headers = {}, body }) {
  const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const options = Object.entries(headers).map(([name, value]) =>
    name === 'X-Password' ? `-H "${name}: $CLAVE"` : `-H ${quote(`${name}: ${value}`)}`,
  );
  return [
    `curl -sS ${method === 'GET' || body ? '' : `-X ${method} `}${quote(api + path)}`,
    ...options,
    ...(headers['X-Password'] ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(body ? ["-H 'Content-Type: application/json'", `-d ${quote(body)}`] : []),
    ...(path.includes('formato=') ? ['-o etiqueta'] : []),
  ].join(' \\\n  ');
}

function say(form, text) {
  form.closest('section').querySelector('.estatus').textContent = text;
}

/** Fills in what the chosen operation takes, with the guide that was made last. */
function chooseOperation() {
  const form = stepOf('otra');
  const { dataset } = form.operacion.selectedOptions[0];
  form.querySelector('.metodo').textContent = dataset.metodo;
  form.ruta.value = guide ? dataset.ruta.replace('{guia}', guide) : dataset.ruta;
  form.cuerpo.value = dataset.cuerpo;
  form.closest('section').querySelector('a.referencia').href = dataset.referencia;
  askForPlaceholders();
}

function askForPlaceholders() {
  const { ruta } = stepOf('otra');
  const [placeholder] = /\{\w+\}/.exec(ruta.value) ?? [];
  ruta.setCustomValidity(placeholder ? `Ponga un valor en lugar de ${placeholder}.` : '');
}

for (const form of steps) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    runStep(form);
  });
  form.firstElementChild.disabled = false;
}
stepOf('otra').operacion.addEventListener('change', chooseOperation);
stepOf('otra').ruta.addEventListener('input', askForPlaceholders);
chooseOperation();

// Links to one operation, such as `#/Guias/crearGuias`, lead to the step for any.
const [, linked] = /^#\/[^/]+\/(\w+)$/.exec(location.hash) ?? [];
if (linked && document.querySelector(`option[value="${linked}"]`)) {
  stepOf('otra').operacion.value = linked;
  chooseOperation();
  document.querySelector('#otra').scrollIntoView();
}
