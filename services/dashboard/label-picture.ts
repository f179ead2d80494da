import { LABEL_OUTCOMES, type LabelOutcome, type MinuteCounts } from '#shared/actions/action-counts.ts';

/** A minute is 1 wide. Each outcome has a row, and each row its own scale. */
const ROW_HEIGHT = 30;
const BAR_WIDTH = 0.8;
const MAX_BAR = 26;
/** Keeps a single failure among thousands visible. */
const MIN_BAR = 3;
const TABLE_MINUTES = 10;

const NAMES: Record<LabelOutcome, string> = {
  printed: 'Impresas',
  failed: 'Con error',
  refused: 'Rechazadas, 503 saturado',
  limited: 'Por límite, 429',
};

/**
 * Draws the labels of each minute, the oldest first. Separate rows show three failures beside thousands of labels, without
 * colours. A single minute is no chart: `onlyAt` then says when it was.
 * @param clock writes a time as `05:54:41`.
 */
export function drawLabels(minutes: readonly MinuteCounts[], clock: (at: number) => string) {
  const times = minutes.map(({ at }) => clock(at).slice(0, 5));
  const busy = minutes.flatMap((minute, i) =>
    LABEL_OUTCOMES.some((outcome) => minute[outcome] > 0) ? [times[i] ?? ''] : [],
  );
  return {
    isChart: busy.length > 1,
    onlyAt: busy[0],
    width: minutes.length,
    height: ROW_HEIGHT * LABEL_OUTCOMES.length,
    times: [times[0], times[minutes.length / 2], times.at(-1)],
    rows: LABEL_OUTCOMES.map((outcome, row) => {
      const counts = minutes.map((minute) => minute[outcome]);
      const base = ROW_HEIGHT * (row + 1);
      return {
        outcome,
        name: NAMES[outcome],
        base,
        total: sum(counts),
        max: Math.max(...counts),
        bars: drawBars(counts, base),
      };
    }),
    table: Array.from({ length: minutes.length / TABLE_MINUTES }, (_, row) => {
      const first = TABLE_MINUTES * row;
      const part = minutes.slice(first, first + TABLE_MINUTES);
      const sums = LABEL_OUTCOMES.map((outcome) => sum(part.map((minute) => minute[outcome])));
      return { from: times[first], sums };
    }),
  };
}

/** Returns the bars as the `d` of an SVG path. */
function drawBars(counts: readonly number[], base: number): string {
  const max = Math.max(...counts);
  return counts
    .map((count, x) => {
      if (count === 0) return '';
      const height = Math.max(MIN_BAR, (MAX_BAR * count) / max).toFixed(1);
      return `M${x} ${base}v-${height}h${BAR_WIDTH}v${height}z`;
    })
    .join('');
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
