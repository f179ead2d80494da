import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inOwnProcess } from '#test/fixtures/own-process.ts';

/** `perSecond` logins with a wrong password, over connections that wait for each answer. */
type Flood = {
  port: number;
  perSecond: number;
  seconds: number;
  connections: number;
  user: string;
  /** From as many addresses by turns. */
  addresses: number;
};

/** Rounds of sending a second. */
const ROUNDS = 100;

/** Floods an api; parses as little HTTP as it can. @returns how many answers of which status came. */
export const floodWithLogins = inOwnProcess(
  import.meta.filename,
  async ({
    port,
    perSecond,
    seconds,
    connections,
    user,
    addresses,
  }: Flood): Promise<Record<string, number>> => {
    const statuses: Record<string, number> = {};
    const answered = (status: string) => {
      statuses[status] = (statuses[status] ?? 0) + 1;
    };
    let sent = 0;
    const nextRequest = () => wrongLogin(user, `198.51.100.${sent++ % addresses}`);
    const callers = Array.from({ length: connections }, () => openCaller(port, nextRequest, answered));
    const end = performance.now() + 1_000 * seconds;
    for (let due = 0; performance.now() < end; await sleep(1_000 / ROUNDS)) {
      due = perSecond / ROUNDS;
      for (const one of callers)
        if (due > 0 && one.free) {
          one.send();
          due--;
        }
    }
    return statuses;
  },
);

function wrongLogin(user: string, from: string): string {
  const head = `X-Username: ${user}\r\nX-Password: mal\r\nX-Forwarded-For: ${from}`;
  return `POST /api/auth/login HTTP/1.1\r\nHost: api\r\nContent-Length: 0\r\n${head}\r\n\r\n`;
}

/** Opens a connection that sends one request at a time. */
function openCaller(port: number, nextRequest: () => string, answered: (status: string) => void) {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1').setNoDelay();
  socket.on('error', () => {});
  const caller = {
    free: true,
    send: () => {
      caller.free = false;
      socket.write(nextRequest());
    },
  };
  let answer = '';
  socket.on('data', (data: string) => {
    answer += data;
    if (!answer.endsWith('}')) return; // every refusal is an object in JSON
    answered(answer.slice(9, 12));
    answer = '';
    caller.free = true;
  });
  return caller;
}
