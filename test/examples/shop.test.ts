import { join } from 'node:path';
import { aDayOfTheShop, SHOP } from './shop-day.ts';

// Node drops the types, so this needs no generator; test/clients/shop.clients.ts checks the program by generated ones.
aDayOfTheShop('TypeScript', () => ({ command: [process.execPath, join(SHOP, 'node/tienda.mts')] }));
