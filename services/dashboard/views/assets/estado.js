// Keeps the page current without a flash: every few seconds the new content takes the place of the old.
const EVERY = 5_000;
const late = document.querySelector('#atraso');
let read = Date.now();

async function refresh() {
  try {
    const answer = await fetch('/', { signal: AbortSignal.timeout(EVERY) });
    if (answer.status === 401) return location.reload(); // where one logs in
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    read = Date.now();
    late.hidden = true;
  } catch {
    late.querySelector('span').textContent = Math.round((Date.now() - read) / 1_000);
    late.hidden = false;
  }
}

function show(page) {
  // Whoever is copying a request's id wants it to stay.
  if (!getSelection().isCollapsed) return;
  const main = document.querySelector('main');
  const focused = [...main.querySelectorAll('a')].indexOf(document.activeElement);
  main.replaceWith(page.querySelector('main'));
  document.querySelectorAll('main a')[focused]?.focus();
  document.title = page.title;
}

const refreshWhenSeen = () => document.hidden || refresh();
setInterval(refreshWhenSeen, EVERY);
document.addEventListener('visibilitychange', refreshWhenSeen);
