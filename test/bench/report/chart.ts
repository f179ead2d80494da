import type { Row } from './report.ts';

const BARS = [
  { id: 'labels', name: 'this project, whole way over HTTP', colour: '#1769aa' },
  { id: 'printer-floor', name: 'Chromium alone, the floor', colour: '#9aa5b1' },
  { id: 'printer-puppeteer-cluster', name: 'puppeteer-cluster', colour: '#c9a227' },
  { id: 'printer-jsreport', name: 'jsreport, chrome-pool', colour: '#c9a227' },
];
const LINE = 34;
const NAMES_WIDTH = 250;
const BARS_WIDTH = 380;

/** Labels a second as bars. Colours that show on white and on black, since READMEs are read on both. */
export function chart(rows: readonly Row[], caption: string): string {
  const value = (id: string) => rows.find((row) => row.id === id)?.value ?? 0;
  const scale = BARS_WIDTH / Math.max(...BARS.map(({ id }) => value(id)));
  const bars = BARS.map(({ id, name, colour }, i) => {
    const y = 34 + i * LINE;
    const width = Math.max(2, value(id) * scale).toFixed(1);
    return `  <text x="${NAMES_WIDTH - 10}" y="${y + 16}" text-anchor="end">${name}</text>
  <rect x="${NAMES_WIDTH}" y="${y}" width="${width}" height="22" rx="3" fill="${colour}"/>
  <text x="${NAMES_WIDTH + Number(width) + 8}" y="${y + 16}">${value(id).toFixed(0)}</text>`;
  });
  const height = 34 + BARS.length * LINE + 24;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 ${height}" width="700" height="${height}" font-family="system-ui, sans-serif" font-size="14" fill="#7b8794">
  <title>Distinct labels a second: ${BARS.map(({ id, name }) => `${name} ${value(id).toFixed(0)}`).join('; ')}</title>
  <text x="${NAMES_WIDTH}" y="20" font-weight="bold">distinct labels a second</text>
${bars.join('\n')}
  <text x="${NAMES_WIDTH}" y="${height - 8}" font-size="12">${caption}</text>
</svg>
`;
}
