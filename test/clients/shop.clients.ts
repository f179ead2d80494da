import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { clientTools } from '#test/clients/tools/client-tools.ts';
import { aDayOfTheShop, SHOP } from '#test/examples/shop-day.ts';
import { run } from './clients.ts';

aDayOfTheShop('Python', async ({ apiUrl, folder }) => {
  await cp(SHOP, join(folder, 'tienda'), { recursive: true });
  const own = join(folder, 'tienda/python');
  const options = ['--meta', 'none', '--output-path', 'guias_api', '--config', 'generar.yml'];
  const generator = ['-m', 'openapi_python_client', 'generate', '--url', `${apiUrl}/api/openapi.json`];
  await run(clientTools.python, [...generator, ...options], own);
  return { command: [clientTools.python, join(own, 'tienda.py')] };
});
