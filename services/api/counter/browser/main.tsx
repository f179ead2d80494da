import { render } from 'preact';
import { Shell } from './shell/shell.tsx';

const LOADERS = {
  una: async () => (await import('./one/one.tsx')).One,
  varias: async () => {
    // With it a file is saved, at the end of a long work.
    void import('./many/tables.ts').catch(() => undefined);
    return (await import('./many/many.tsx')).Many;
  },
  enviado: async () => (await import('./sent/sent.tsx')).Sent,
};

const root = document.getElementById('mostrador');
if (root) {
  root.replaceChildren();
  render(<Shell loaders={LOADERS} />, root);
}
