// Keeps the page current without reloading it: every five seconds the new content replaces the old.
const INTERVAL = 5_000;
const late = document.querySelector('#atraso');
let read = Date.now();

async function refresh() {
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(INTERVAL) });
    if (answer.status === 401) return location.reload(); // leads to the login page
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
  // Replacing the page would drop a selection, such as a request's id that is being copied.
  if (!getSelection().isCollapsed) return;
  const main = document.querySelector('main');
  const focused = [...main.querySelectorAll('a')].indexOf(document.activeElement);
  main.replaceWith(page.querySelector('main'));
  document.querySelectorAll('main a')[focused]?.focus();
  document.title = page.title;
}

const refreshWhenSeen = () => document.hidden || refresh();
setInterval(refreshWhenSeen, INTERVAL);
document.addEventListener('visibilitychange', refreshWhenSeen);
