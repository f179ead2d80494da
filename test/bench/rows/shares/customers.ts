import { Client } from '#test/fixtures/client.ts';
import { ApiClient } from '../../load/api-client.ts';
import { floodAsCustomer } from '../../load/greedy-client.ts';
import { newGuide } from '../../load/guides.ts';
import { atRate } from '../../load/load.ts';
import { percentile } from '../../report/statistics.ts';
import type { Result, Run } from '../../run.ts';
import { type BenchSystem, withSystem } from '../../system/system.ts';

const KINDS = ['labels', 'guides', 'logins'] as const;
const CONNECTIONS = 150;
const LABELS_PER_SECOND = 4;
const USER = 'demo';

/**
 * What one customer gets while another takes all that is given: four labels a second, each of a guide created for it, and
 * a login each second.
 */
export async function customers(run: Run): Promise<Result[]> {
  const results: Result[] = [];
  for (const kind of KINDS) {
    results.push(...(await withSystem(run, (system) => beside(run, system, kind))));
  }
  return results;
}

async function beside(run: Run, system: BenchSystem, kind: (typeof KINDS)[number]): Promise<Result[]> {
  const url = system.addresses.api;
  const seconds = run.count(60);
  run.say(`a customer beside one who takes all the ${kind} there are, for ${seconds} s…`);
  await system.api.warmUp(run.count(500));
  const modest = await ApiClient.login(url, USER);
  const greedy = await floodAsCustomer({ url, kind, connections: CONNECTIONS, seconds });
  const slots = Array.from({ length: LABELS_PER_SECOND * seconds }, (_, i) => i);
  const logins = slots.filter((slot) => slot % LABELS_PER_SECOND === 0);
  const [labels, loginLoad] = await Promise.all([
    atRate(slots, LABELS_PER_SECOND, async () => modest.label((await modest.create([newGuide()]))[0] ?? '')),
    atRate(logins, 1, async () => Client.login(url, USER)),
  ]);
  const statuses = await greedy.ended;
  await modest.close();
  const note = `${labels.latencies.length} labels, ${labels.refusals.length} refused; ${loginLoad.latencies.length} logins; the other: ${JSON.stringify(statuses)}`;
  return [
    { id: `customer-beside-${kind}-p99`, rounds: [percentile(labels.latencies, 0.99)], note },
    { id: `customer-beside-${kind}-login-p99`, rounds: [percentile(loginLoad.latencies, 0.99)] },
  ];
}
