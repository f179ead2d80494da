import { LRUCache } from 'lru-cache';
import { localTimeFormatter } from '../platform/local-time.ts';

/** Zones of branches, of which a carrier has few. Making a formatter takes some 30 µs. */
const formatters = new LRUCache<string, (moment: Date) => string>({ max: 100 });

/** Returns a function that writes a moment as local time of a zone, as `localTimeFormatter`. */
export function localTimeIn(zone: string): (moment: Date) => string {
  const known = formatters.get(zone) ?? localTimeFormatter(zone);
  formatters.set(zone, known);
  return known;
}
