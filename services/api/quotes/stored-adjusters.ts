import type { Connection } from 'mongoose';
import { DatabaseClock } from '#shared/stores/database-clock.ts';
import type { AdjusterOf } from '../guides/adjusting.ts';
import { adjusters } from './adjustment.ts';
import { CurrentTariff } from './tariffs/current-tariff.ts';
import { TariffStore } from './tariffs/tariff-store.ts';

/** Prices weighings by the tariffs that are stored, for commands. */
export function storedAdjusters(mongo: Connection): AdjusterOf {
  return adjusters(new CurrentTariff(new TariffStore(mongo), new DatabaseClock(mongo)));
}
