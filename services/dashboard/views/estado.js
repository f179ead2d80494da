// Keeps the page current without reloading it: every two seconds the sections that have changed are replaced.
const INTERVAL = 2_000;
/** While a store hangs, the page takes some seconds. */
const TIMEOUT = 10_000;
/** Absent on the page that an outage is shown with. */
const late = document.querySelector('#atraso');
/** Only on the login page: the stores without which nobody can log in. */
const away = document.querySelector('#caidos');
let asks = false;

async function refresh() {
  if (asks) return;
  asks = true;
  try {
    const answer = await fetch(location.href, { signal: AbortSignal.timeout(TIMEOUT) });
    if (answer.status === 401) return location.reload(); // leads to the login page
    if (!answer.ok) throw new Error(answer.statusText);
    if (away) return showAway(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    if (!late) return location.reload();
    show(new DOMParser().parseFromString(await answer.text(), 'text/html'));
    late.hidden = true;
  } catch {
    if (!late?.hidden) return;
    late.querySelector('span').textContent = document.querySelector('#hora').textContent;
    late.hidden = false;
  } finally {
    asks = false;
  }
}

/** Leaves alone what is being typed, and what a login was answered, until a store is away or back. */
function showAway(page) {
  const fresh = page.querySelector('#caidos');
  const wasAway = away.querySelector('a') !== null;
  const isAway = fresh.querySelector('a') !== null;
  if ((wasAway || isAway) && away.innerHTML !== fresh.innerHTML) away.replaceChildren(...fresh.childNodes);
}

function show(page) {
  // Replacing the page would drop a selection, such as a request's id that is being copied.
  if (!getSelection().isCollapsed) return;
  // Screen readers say this one sentence, not every figure that changes.
  const [shown, fresh] = [document, page].map((one) => one.querySelector('.titular'));
  if (shown.dataset.problemas !== fresh.dataset.problemas) {
    shown.dataset.problemas = fresh.dataset.problemas;
    const said = [...fresh.querySelectorAll('h1, li:first-child > span')].map(
      ({ textContent }) => textContent,
    );
    document.querySelector('#novedad').textContent = said.join(': ');
  }
  document.title = page.title;
  const sections = page.querySelectorAll('main > section');
  for (const [i, section] of document.querySelectorAll('main > section').entries())
    replace(section, sections[i]);
}

function replace(section, fresh) {
  const details = section.querySelectorAll('details');
  fresh.querySelectorAll('details').forEach((one, i) => {
    one.open = details[i]?.open ?? false;
  });
  const focusable = () => [...section.querySelectorAll('a, button, summary')];
  const focused = focusable().indexOf(document.activeElement);
  patch(section, fresh);
  focusable()[focused]?.focus();
}

/** Makes a node like another, and changes only what differs: a phone lays out nothing else again. */
function patch(node, fresh) {
  if (node.isEqualNode(fresh)) return;
  if (node.nodeType === Node.TEXT_NODE) {
    node.data = fresh.data;
    return;
  }
  for (const { name } of [...node.attributes]) if (!fresh.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of fresh.attributes) node.setAttribute(name, value);
  const [old, children] = [[...node.childNodes], [...fresh.childNodes]];
  const isAlike =
    old.length === children.length && old.every(({ nodeName }, i) => nodeName === children[i].nodeName);
  if (isAlike) for (const [i, child] of old.entries()) patch(child, children[i]);
  else node.replaceChildren(...children);
}

const refreshWhenSeen = () => document.hidden || refresh();
setInterval(refreshWhenSeen, INTERVAL);
document.addEventListener('visibilitychange', refreshWhenSeen);
