const WORDS = { ready: 'Copiar', done: 'Copiado', failed: 'No se pudo copiar' };
const SHOWN_MS = 2_000;

/** A screen reader says what stands here, and not what a button is renamed to. */
const status = document.createElement('p');
status.className = 'oculto';
status.setAttribute('role', 'status');

async function copy(block, button) {
  // Without the last line's end, so that a shell waits for the reader's own.
  const text = block.textContent.trimEnd();
  const outcome = await navigator.clipboard.writeText(text).then(
    () => WORDS.done,
    () => WORDS.failed,
  );
  button.textContent = outcome;
  status.textContent = outcome;
  setTimeout(() => {
    button.textContent = WORDS.ready;
    status.textContent = '';
  }, SHOWN_MS);
}

function addButton(block) {
  const button = Object.assign(document.createElement('button'), {
    ...{ type: 'button', className: 'copiar', textContent: WORDS.ready },
    onclick: () => copy(block, button),
  });
  block.before(button);
}

// Without a script there is no button, nor where a page may not write to the clipboard.
if (navigator.clipboard) {
  document.querySelector('main').append(status);
  for (const block of document.querySelectorAll('main pre')) addButton(block);
}

// A language that was chosen once is chosen everywhere, also on the next page.
const KEPT = 'lenguaje';
const languages = [...document.querySelectorAll('.lenguajes input')];

function choose(language) {
  for (const choice of languages) if (choice.value === language) choice.checked = true;
}

try {
  choose(localStorage.getItem(KEPT));
} catch {} // a browser may be told to keep nothing
for (const { parentElement: group } of languages.filter(({ checked }) => checked)) {
  group.addEventListener('change', ({ target: { value } }) => {
    choose(value);
    try {
      localStorage.setItem(KEPT, value);
    } catch {}
  });
}

// The contents are longer than most screens: they begin near a chapter that would be below. To ask here where it is would lay
// out the page before it is needed; an observer tells it with the next frame.
const contents = document.querySelector('.indice');
const current = contents.querySelector('[aria-current]');
const observer = new IntersectionObserver(
  ([{ boundingClientRect: place, rootBounds: shown }]) => {
    observer.disconnect();
    const below = place.top - shown.top;
    if (below > shown.height / 2) contents.scrollTop += below - shown.height / 3;
  },
  { root: contents },
);
if (current) {
  observer.observe(current);
  // On a phone a button opens them.
  contents.addEventListener('toggle', () => observer.observe(current));
}
