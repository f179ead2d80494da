import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { zipSync } from 'fflate';
import type { OpenApiDocument } from './api-model.ts';
import { pythonSources } from './python-source.ts';

const SOURCES = new URL('../../../examples/clients/python/', import.meta.url);
const LICENSE = new URL('../../../LICENSE', import.meta.url);
/** One moment for all files, so that the same sources are the same bytes. The first that a ZIP file can name. */
const WRITTEN = new Date(1980, 0, 1);

/** Makes the wheel (https://packaging.python.org/en/latest/specifications/binary-distribution-format/), without Python. */
export function pythonPackage(document: OpenApiDocument): { name: string; content: Uint8Array } {
  const { version } = document.info;
  const own = `guias_de_envio-${version}`;
  const folder = new URL('guias_de_envio/', SOURCES);
  const written = readdirSync(folder)
    .filter((file) => /\.py$|^py\.typed$/.test(file))
    .map((file) => [file, readFileSync(new URL(file, folder), 'utf8')] as const);
  const files: Record<string, string> = {
    ...inFolder('guias_de_envio', Object.fromEntries(written)),
    ...inFolder('guias_de_envio', pythonSources(document)),
    ...inFolder(`${own}.dist-info`, {
      METADATA: metadata(version),
      WHEEL: 'Wheel-Version: 1.0\nGenerator: shipping-guides\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
      'licenses/LICENSE': readFileSync(LICENSE, 'utf8'),
    }),
  };
  const record = `${own}.dist-info/RECORD`;
  const all = { ...files, [record]: `${Object.entries(files).map(recorded).join('')}${record},,\n` };
  const content = Object.fromEntries(
    Object.entries(all).map(([path, text]) => [path, Buffer.from(text)] as const),
  );
  return { name: `${own}-py3-none-any.whl`, content: zipSync(content, { level: 9, mtime: WRITTEN }) };
}

function inFolder(folder: string, files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

function metadata(version: string): string {
  const fields = [
    ...['Metadata-Version: 2.4', 'Name: guias_de_envio', `Version: ${version}`],
    'Summary: Cliente del servicio de guías de envío: crear, cotizar, imprimir y seguir guías',
    ...['License-Expression: MIT', 'License-File: LICENSE', 'Requires-Python: >=3.11'],
    ...['Requires-Dist: httpx<0.29,>=0.28', 'Requires-Dist: standardwebhooks<2,>=1.1'],
    'Description-Content-Type: text/markdown',
  ];
  return `${fields.join('\n')}\n\n${readFileSync(new URL('README.md', SOURCES), 'utf8')}`;
}

/** The line of the wheel's record by which an installer checks a file. */
function recorded([path, text]: [string, string]): string {
  const hash = createHash('sha256').update(text).digest('base64url');
  return `${path},sha256=${hash},${Buffer.byteLength(text)}\n`;
}
