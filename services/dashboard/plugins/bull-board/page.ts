/** The page brings inline styles; scripts come from files, as everywhere. */
export const BULL_BOARD_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors 'none'";

/** The system's own fonts: the page would ask another site for fonts. */
const FONTS = { 'font-sans': 'system-ui, sans-serif', 'font-mono': 'ui-monospace, monospace' };

export const BULL_BOARD_UI = {
  boardTitle: 'Etiquetas',
  locale: { lng: 'es-ES' },
  hideDocsLink: true,
  hideRedisDetails: true,
  showWorkers: false,
  theme: { light: FONTS, dark: FONTS },
} as const;

/** Replaces the link to fonts by the styles that hide the buttons for refused actions, and adds the way back. */
export function adaptPage(html: string): string {
  return html
    .replace(/<link href="https:[^>]*>/, '<link href="/recursos/cola.css" rel="stylesheet">')
    .replace('<div id="root">', '<a id="estado" href="/">← Estado</a>$&');
}
