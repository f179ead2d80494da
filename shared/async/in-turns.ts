/** Time that such work may take in one turn of the event loop, in ms, whatever the number of requests. */
const TURN_MS = 5;

/** When the first work of this turn of the event loop began, in ms; undefined if none has. */
let began: number | undefined;
/** Work that has given way, in the order in which it goes on. */
const waiting: (() => void)[] = [];

/**
 * Works on items one after the other, and gives way to the event loop whenever the work of its turn has taken 5 ms. All
 * requests share these 5 ms, so that many of them hold up another no longer than one does. The first item never waits.
 *
 * @param work may give way by itself while it works on one item: `if (isTurnOver()) await giveWay()`.
 * @returns the results, in the order of the items.
 */
export async function inTurns<Item, Result>(
  items: Iterable<Item>,
  work: (item: Item, index: number) => Result | Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) {
    if (isTurnOver() && results.length > 0) await giveWay();
    const result = work(item, results.length);
    results.push(result instanceof Promise ? await result : result);
  }
  return results;
}

/** Returns whether work in turns must give way before it goes on. Asked for the first time in a turn, it starts the clock. */
export function isTurnOver(): boolean {
  if (began !== undefined) return performance.now() - began >= TURN_MS;
  startClock();
  return false;
}

/** Lets the event loop answer others, and resolves when all that gave way before has had its turn. */
export function giveWay(): Promise<void> {
  if (began === undefined) startClock();
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function startClock(): void {
  began = performance.now();
  setImmediate(nextTurn);
}

/** One goes on in a turn. An immediate that is set here runs after the loop has looked for what has come in. */
function nextTurn(): void {
  began = undefined;
  const goOn = waiting.shift();
  if (!goOn) return;
  startClock();
  goOn();
}
