import { Transform } from 'node:stream';
import { startProxy, type TcpProxy } from '../system/proxy.ts';

/** What a proxy does to labels that Redis answers with: two are `swapped`, or each is `replaced` by one that came before. */
type Fate = 'right' | 'swapped' | 'replaced';
/** A proxy in front of the Redis of the labels, whose `fate` may be changed. */
export type LabelProxy = TcpProxy & { fate: Fate };

/** How long a label waits for another one with which it is swapped, in ms. */
const WAIT_MS = 1_000;

export async function startLabelProxy(redisPort: number): Promise<LabelProxy> {
  const proxied = { fate: 'right' as Fate };
  const proxy = await startProxy(
    () => redisPort,
    0,
    () => passReplies(() => proxied.fate),
  );
  return Object.assign(proxied, proxy);
}

let before: Buffer | undefined;

/** Passes the replies of one connection, in their order. */
function passReplies(fateOf: () => Fate): Transform {
  let pending = Buffer.alloc(0);
  /** From a label on that waits for another one. */
  let held: Buffer[] = [];
  let timer: NodeJS.Timeout | undefined;
  const stream = new Transform({
    transform(chunk: Buffer, _, done) {
      pending = Buffer.concat([pending, chunk]);
      for (let end = endOfReply(pending); end !== undefined; end = endOfReply(pending)) {
        pass(pending.subarray(0, end));
        pending = pending.subarray(end);
      }
      done();
    },
    flush(done) {
      release();
      done();
    },
  });
  function pass(reply: Buffer): void {
    const fate = isLabel(reply) ? fateOf() : 'right';
    if (fate === 'replaced') stream.push(before ?? reply);
    else if (held.length > 0) {
      held.push(reply);
      if (fate === 'swapped') swap();
    } else if (fate === 'swapped') {
      held.push(reply);
      timer = setTimeout(release, WAIT_MS);
    } else {
      if (isLabel(reply)) before = Buffer.from(reply);
      stream.push(reply);
    }
  }
  function swap(): void {
    const [first, last] = [held[0], held.at(-1)] as [Buffer, Buffer];
    held = [last, ...held.slice(1, -1), first];
    release();
  }
  function release(): void {
    clearTimeout(timer);
    for (const reply of held) stream.push(reply);
    held = [];
  }
  return stream;
}

/** A PDF is a string of RESP: `$<bytes>\r\n%PDF-…\r\n`. */
function isLabel(reply: Buffer): boolean {
  return /^\$\d+\r\n%PDF-/.test(reply.toString('latin1', 0, 40));
}

/** Returns where the first line, or string with its length, ends; undefined while it is not whole. */
function endOfReply(bytes: Buffer): number | undefined {
  const line = bytes.indexOf('\r\n');
  if (line < 0) return undefined;
  const length = /^[$=!](\d+)$/.exec(bytes.toString('latin1', 0, line))?.[1];
  const end = line + 2 + (length === undefined ? 0 : Number(length) + 2);
  return end <= bytes.length ? end : undefined;
}
