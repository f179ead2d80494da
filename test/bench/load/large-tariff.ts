import { execFile } from 'node:child_process';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DEMO_TARIFF } from '#local/demo-data.ts';
import { priceParcel } from '#services/api/quotes/tariffs/price.ts';
import { readTariff } from '#services/api/quotes/tariffs/read-tariff.ts';
import type { Tariff } from '#services/api/quotes/tariffs/tariff.ts';
import { readTariffFolder, type TariffFolder } from '#services/api/quotes/tariffs/tariff-files.ts';
import { TariffReport } from '#services/api/quotes/tariffs/tariff-report.ts';
import type { Parcel } from '#shared/guides/guide-price.ts';

const SERVICES = ['Domicilio', 'the service'];
const ZONES = 6;
const BREAKS = 10;
/** Time in which the collector of garbage and the histogram come to rest, in ms. */
const REST_MS = 200;

/** How long the reading took in s, the longest stall of the event loop in ms, and memory in MiB. */
type Reading = { seconds: number; stallMs: number; heapMiB: number; peakMiB: number };

type Options = { rows: number; pricingMs: number };
type Measured = Reading & { perSecond: number };

if (import.meta.main) process.stdout.write(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? ''))));

/** Prices by the demo tariff, and reads one with so many price rows, in a process that does nothing else. */
export async function readLargeTariff(options: Options): Promise<Measured> {
  const args = [import.meta.filename, JSON.stringify(options)];
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout);
}

async function measure({ rows, pricingMs }: Options): Promise<Measured> {
  const demo = await readTariffFolder(DEMO_TARIFF);
  const perSecond = pricesPerSecond(await read(demo), pricingMs);
  return { ...(await measureReading(withPriceRows(demo, rows))), perSecond };
}

async function measureReading(folder: TariffFolder): Promise<Reading> {
  const before = settledHeap();
  const rssBefore = process.memoryUsage.rss();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await sleep(REST_MS);
  delay.enable();
  await sleep(REST_MS);
  delay.reset();
  const started = performance.now();
  const tariff = await read(folder);
  const seconds = (performance.now() - started) / 1_000;
  await sleep(REST_MS);
  delay.disable();
  const peakMiB = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
  const heapMiB = (settledHeap() - before) / 2 ** 20;
  // Used after the measurement, or the collector may have taken it before.
  if (tariff.prices.size === 0) throw new Error('The tariff has no prices');
  return { seconds, stallMs: delay.max / 1e6, heapMiB, peakMiB };
}

async function read(folder: TariffFolder): Promise<Tariff> {
  const report = new TariffReport();
  const tariff = await readTariff(folder, report);
  if (!tariff) throw new Error(`${report.errors}`);
  return tariff;
}

/** @returns the bytes of the heap once no garbage is in it. */
function settledHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

/** Returns a folder whose lists have so many rows of prices, or some more. */
function withPriceRows(folder: TariffFolder, rows: number): TariffFolder {
  const lists = Math.ceil(rows / (SERVICES.length * ZONES * BREAKS));
  const lines = ['Lista,TipoServicio,TipoEnvio,Zona,HastaKg,Precio,KgExtra'];
  for (let list = 0; list < lists; list++) {
    for (const service of SERVICES) {
      for (let zone = 1; zone <= ZONES; zone++) {
        for (let step = 1; step <= BREAKS; step++) {
          const extra = step === BREAKS ? '9.00' : '';
          lines.push(
            `lista ${list},${service},,${zone},${3 * step},${90 + zone * step + (list % 9)}.00,${extra}`,
          );
        }
      }
    }
  }
  return new Map([...folder, ['precios.csv', Buffer.from(lines.join('\n'))]]);
}

/** Prices parcels of all weights to three places, one after the other. */
function pricesPerSecond(tariff: Tariff, forMs: number): number {
  const destinations = ['06600', '64000', '97000'];
  const parcels = Array.from({ length: 300 }, (_, i): Parcel => {
    const destination = destinations[i % destinations.length] as string;
    const goods = { grams: 100 + i * 150, sides: [100, 200, 300] as const, declared: (i % 4) * 50_000 };
    return { origin: '06600', destination, service: 'Domicilio', type: '', packages: 1, ...goods };
  });
  const rate = (ms: number) => {
    const started = performance.now();
    let priced = 0;
    while (performance.now() - started < ms) {
      for (const parcel of parcels) if ('total' in priceParcel(tariff, 'demo', parcel)) priced++;
    }
    return priced / ((performance.now() - started) / 1_000);
  };
  rate(forMs / 5); // the compiler's share
  return rate(forMs);
}
