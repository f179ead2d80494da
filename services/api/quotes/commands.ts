import type { Command } from 'commander';
import type { AdjustingTools } from '../guides/adjusting.ts';
import { storedAdjusters } from './adjustment.ts';

/** Adds no command, but the prices of what `eventos` weighs. `npm run tariffs` has the commands of tariffs. */
export function addCommands(_program: Command, { adjusters }: AdjustingTools): void {
  adjusters.fill(storedAdjusters);
}
