import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/**
 * Sends requests without a token at a rate, over connections that wait for each answer. The program is a process of its
 * own because it takes a core, and parses as little HTTP as it can.
 *
 * `--port`, `--rate` a second, `--seconds`, `--connections`. `--login=<user>` sends logins with a wrong password instead,
 * from `--addresses` addresses by turns. Prints how many answers of which status came.
 */

const LABEL = 'GET /api/guias/etiqueta/123456789012 HTTP/1.1\r\nHost: api\r\n\r\n';
/** Rounds of sending a second. */
const GOES = 100;

const text = { type: 'string' } as const;
const { values } = parseArgs({
  options: { port: text, rate: text, seconds: text, connections: text, login: text, addresses: text },
});
const statuses: Record<string, number> = {};

let sent = 0;
function nextRequest(): string {
  if (!values.login) return LABEL;
  const from = `198.51.100.${sent++ % Number(values.addresses)}`;
  const head = `X-Username: ${values.login}\r\nX-Password: mal\r\nX-Forwarded-For: ${from}`;
  return `POST /api/auth/login HTTP/1.1\r\nHost: api\r\nContent-Length: 0\r\n${head}\r\n\r\n`;
}

/** Opens a connection that sends one request at a time. */
function caller(): { free: boolean; send(): void } {
  const socket = connect(Number(values.port), '127.0.0.1').setEncoding('latin1').setNoDelay();
  socket.on('error', () => {});
  const self = {
    free: true,
    send: () => {
      self.free = false;
      socket.write(nextRequest());
    },
  };
  let answer = '';
  socket.on('data', (data: string) => {
    answer += data;
    if (!answer.endsWith('}')) return; // every refusal is an object in JSON
    const status = answer.slice(9, 12);
    statuses[status] = (statuses[status] ?? 0) + 1;
    answer = '';
    self.free = true;
  });
  return self;
}

const callers = Array.from({ length: Number(values.connections) }, caller);
const end = performance.now() + 1_000 * Number(values.seconds);
for (let due = 0; performance.now() < end; await sleep(1_000 / GOES)) {
  due = Number(values.rate) / GOES;
  for (const one of callers)
    if (due > 0 && one.free) {
      one.send();
      due--;
    }
}
process.stdout.write(JSON.stringify(statuses));
process.exit();
