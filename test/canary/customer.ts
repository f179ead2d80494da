import { Credential } from '#services/canary/http/credential.ts';
import { Customer } from '#services/canary/http/customer.ts';
import type { Answer, RequestOptions } from '#services/canary/http/exchange.ts';
import { customersWay } from '#services/canary/http/ways.ts';
import { startReader } from '#services/canary/reading/reader.ts';
import { Destinations } from '#services/canary/steps/destinations.ts';
import { Client } from '#test/fixtures/client.ts';
import { DEADLINE_MS } from '#test/fixtures/deadline.ts';
import { printingTest } from '#test/fixtures/services.ts';

/** Waits long for each answer: how long customers wait is nothing that these tests are about, and their machine may be busy. */
export class PatientCustomer extends Customer {
  override send(request: RequestOptions): Promise<Answer> {
    return super.send({ ...request, deadlineMs: DEADLINE_MS });
  }

  override sendAnonymously(request: RequestOptions): Promise<Answer> {
    return super.sendAnonymously({ ...request, deadlineMs: DEADLINE_MS });
  }
}

/** Tests of single rounds and checks, by the key of a test account, on services that print. */
export const test = printingTest
  .extend('key', { scope: 'file' }, async ({ api }) => (await Client.login(api.url, 'prueba')).newKey())
  .extend('customer', { scope: 'file' }, ({ api, key }) => {
    return new PatientCustomer(customersWay(api.url), new Credential(() => key, 60_000));
  })
  .extend('reader', { scope: 'file' }, () => startReader())
  .extend('destinations', { scope: 'file' }, () => new Destinations());
