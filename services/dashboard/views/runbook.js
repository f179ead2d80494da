// Gives each block of commands a button that copies it. Browsers offer the clipboard by https and on this machine alone.
const contents = document.querySelector('#contenido');

contents.addEventListener('click', ({ target }) => {
  if (target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});
if (navigator.clipboard) document.querySelectorAll('pre').forEach(addButton);

function addButton(block) {
  const button = document.createElement('button');
  const name = (text) => {
    button.textContent = text;
  };
  name('Copiar');
  button.className = 'copiar';
  button.ariaLive = 'polite';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.textContent);
    name('Copiado');
    setTimeout(name, 2_000, 'Copiar');
  });
  block.before(button);
}
