/** Adds a button that copies to each block of code; without a clipboard, none. */
const WORDS = { ready: 'Copiar', done: 'Copiado', failed: 'No se pudo copiar' };
const SHOWN_MS = 2_000;

if (navigator.clipboard) {
  for (const block of document.querySelectorAll('main pre')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copiar';
    button.textContent = WORDS.ready;
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(block.textContent).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? WORDS.done : WORDS.failed;
      setTimeout(() => {
        button.textContent = WORDS.ready;
      }, SHOWN_MS);
    });
    const frame = document.createElement('div');
    frame.className = 'bloque';
    block.replaceWith(frame);
    frame.append(block, button);
  }
}
