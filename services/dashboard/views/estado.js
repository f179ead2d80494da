// Keeps the page current without reloading it: every five seconds the sections that have changed are replaced.
const INTERVAL = 5_000;
/** Absent on the page that an outage is shown with. */
const late = document.querySelector('#atraso');

async function refresh() {
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(INTERVAL) });
    if (answer.status === 401) return location.reload(); // leads to the login page
    if (!answer.ok) throw new Error(answer.statusText);
    if (!late) return location.reload();
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    late.hidden = true;
  } catch {
    if (!late?.hidden) return;
    late.querySelector('span').textContent = document.querySelector('#hora').textContent;
    late.hidden = false;
  }
}

function show(page) {
  // Replacing the page would drop a selection, such as a request's id that is being copied.
  if (!getSelection().isCollapsed) return;
  // Screen readers say this one sentence, not every figure that changes.
  if (document.title !== page.title) {
    document.querySelector('#novedad').textContent = page.querySelector('h1').textContent;
  }
  document.title = page.title;
  const fresh = page.querySelectorAll('main > section');
  for (const [i, section] of document.querySelectorAll('main > section').entries())
    replace(section, fresh[i]);
}

function replace(section, fresh) {
  const details = section.querySelectorAll('details');
  fresh.querySelectorAll('details').forEach((one, i) => {
    one.open = details[i]?.open ?? false;
  });
  section.className = fresh.className;
  if (section.innerHTML === fresh.innerHTML) return;
  const focusable = () => [...section.querySelectorAll('a, button, summary')];
  const focused = focusable().indexOf(document.activeElement);
  section.replaceChildren(...fresh.childNodes);
  focusable()[focused]?.focus();
}

const refreshWhenSeen = () => document.hidden || refresh();
setInterval(refreshWhenSeen, INTERVAL);
document.addEventListener('visibilitychange', refreshWhenSeen);
