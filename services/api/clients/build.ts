import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenApiDocument } from './api-model.ts';
import { pythonPackage } from './python-package.ts';
import { typeScriptPackage } from './typescript-package.ts';

/** Makes the packages of the clients, with the version of the service. It needs neither Python nor a network. */
export async function buildClients(folder: string, document: object): Promise<void> {
  const api = document as OpenApiDocument;
  for (const { name, content } of [pythonPackage(api), await typeScriptPackage(api)]) {
    await writeFile(join(folder, name), content);
  }
}
