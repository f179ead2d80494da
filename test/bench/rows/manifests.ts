import { ApiClient } from '../load/api-client.ts';
import { inParallel } from '../load/load.ts';
import type { Result, Run } from '../run.ts';
import { withSystem } from '../system/system.ts';

const GUIDES = 500;

/** Manifests of 500 guides a second, and scans of such manifests. */
export async function manifests(run: Run): Promise<Result[]> {
  return withSystem(run, async ({ addresses, api }) => {
    const scanner = await ApiClient.login(addresses.api, 'escaner');
    const made: number[] = [];
    const scanned: number[] = [];
    for (let round = 0; round < run.rounds; round++) {
      run.say(`manifests, round ${round + 1}…`);
      const count = run.count(40);
      const guides = await api.newGuides(count * GUIDES);
      const lists = Array.from({ length: count }, (_, i) => guides.slice(GUIDES * i, GUIDES * (i + 1)));
      const numbers: string[] = [];
      const making = await inParallel(lists, 4, async (list) => numbers.push(await api.manifest(list)));
      made.push(making.perSecond);
      scanned.push((await inParallel(numbers, 4, (number) => scanner.scanManifest(number))).perSecond);
    }
    await scanner.close();
    return [
      { id: 'manifest-500', rounds: made },
      { id: 'manifest-scan-500', rounds: scanned },
    ];
  });
}
