import { Credential } from '#services/canary/http/credential.ts';
import { Customer } from '#services/canary/http/customer.ts';
import { customersWay } from '#services/canary/http/ways.ts';
import { startReader } from '#services/canary/reading/reader.ts';
import { Destinations } from '#services/canary/steps/destinations.ts';
import { Client } from '#test/fixtures/client.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** Tests of single rounds and checks, by the key of a test account, on services that print. */
export const test = printingTest
  .extend('key', { scope: 'file' }, async ({ api }) => (await Client.login(api.url, 'prueba')).newKey())
  .extend('customer', { scope: 'file' }, ({ api, key }) => {
    return new Customer(customersWay(api.url), new Credential(() => key, 60_000));
  })
  .extend('reader', { scope: 'file' }, () => startReader())
  .extend('destinations', { scope: 'file' }, () => new Destinations());
