import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, inject, vi } from 'vitest';
import { ensureCanaryAccount } from '#services/api/canary/ensure-account.ts';
import { newKey } from '#services/api/keys/key.ts';
import { startAlteringProxy } from '#test/fixtures/altering-proxy.ts';
import { Client, minimalGuide } from '#test/fixtures/client.ts';
import { startMongoProxy, WRITES } from '#test/fixtures/mongo-proxy.ts';
import { startProxy } from '../system/proxy.ts';
import { startLabelProxy } from './label-proxy.ts';
import { isSaid, portOf, test } from './watch.ts';
import { startDeadLeg, startLegs, startTls } from './way-in.ts';

/**
 * Faults that are on no list, each of one way in, with a canary and an "Estado" of its own. Four of them happen at once, in processes that
 * are well otherwise: a dozen canaries that start together are late by themselves on two cores.
 */

vi.setConfig({ testTimeout: 900_000, hookTimeout: 300_000, maxConcurrency: 4 });

const PICTURES = /^(?:image\/png|application\/zpl|x-application\/zpl)/;
/** What the canary's silence shows: its last good round is 45 s old, or the canary has been silent for so long. */
const SILENT = { saidS: 50, goneS: 45 };
/** What is late without reaching its deadline is a fault after three rounds. */
const LATE = { saidS: 60, goneS: 45 };

describe.concurrent('a customer of our own cannot', () => {
  test('read answers whose bodies end early', async ({ watch, system, onTestFinished }) => {
    const way = await startAlteringProxy(system.addresses.api);
    onTestFinished(way.close);
    const watched = await watch('cut', { CUSTOMERS_URL: way.url });
    const words =
      /^El cliente de prueba no puede .* por la dirección de los clientes desde hace .*: (?:la respuesta se cortó|sin respuesta en \d+ s)$/;
    await isSaid(watched, 'a body that ends early', words, () => {
      way.alter = (answer) => {
        answer.cut = true;
      };
      return () => {
        way.alter = () => {};
      };
    });
  });

  test('print a form whose turn comes minutes later', async ({ watch, system, onTestFinished }) => {
    const way = await startAlteringProxy(system.addresses.api);
    onTestFinished(way.close);
    const watched = await watch('form', { CUSTOMERS_URL: way.url });
    const words =
      /^El cliente de prueba no puede imprimir (?:PNG|ZPL) carta desde hace .*: la respuesta se cortó$/;
    const cause = () => {
      way.alter = (answer) => {
        if (PICTURES.test(answer.headers['content-type'] ?? '')) answer.cut = true;
      };
      return () => {
        way.alter = () => {};
      };
    };
    await isSaid(watched, 'pictures that end early', words, cause, { saidS: 600, goneS: 45 });
  });

  test('get past a dead leg of a balancer', async ({ watch, system, onTestFinished }) => {
    const api = portOf(system.addresses.api);
    const way = await startLegs([api, api]);
    const dead = await startDeadLeg();
    onTestFinished(() => Promise.all([way.close(), dead.close()]).then(() => {}));
    const watched = await watch('leg', { CUSTOMERS_URL: way.url });
    const words = /^El cliente de prueba no puede .* desde hace .*: sin respuesta en \d+ s$/;
    await isSaid(watched, 'a balancer with one dead leg', words, () => {
      way.ports = [api, dead.port];
      return () => {
        way.ports = [api, api];
      };
    });
  });

  test('trust a certificate that has run out', async ({ watch, system, folder, onTestFinished }) => {
    const way = await startTls(portOf(system.addresses.api), folder);
    onTestFinished(way.close);
    const watched = await watch('tls', { CUSTOMERS_URL: way.url, NODE_EXTRA_CA_CERTS: way.ca });
    const words = /^El cliente de prueba no puede .* desde hace .*: el certificado TLS venció$/;
    await isSaid(watched, 'a TLS certificate that has run out', words, () => {
      way.expire();
      return way.renew;
    });
  });

  test('trust the time of an api whose clock is wrong', async ({ watch, system, onTestFinished }) => {
    const way = await startAlteringProxy(system.addresses.api);
    onTestFinished(way.close);
    const watched = await watch('clock', { CUSTOMERS_URL: way.url });
    const words = /^El cliente de prueba no puede confiar en la hora de las respuestas.*/;
    await isSaid(watched, 'a clock that is five minutes ahead', words, () => {
      way.alter = ({ headers }) => {
        headers.date = new Date(Date.parse(headers.date ?? '') + 300_000).toUTCString();
      };
      return () => {
        way.alter = () => {};
      };
    });
  });

  test('print by an api that sees no label worker', async ({
    watch,
    startApi,
    stores,
    system,
    onTestFinished,
  }) => {
    const api = portOf(system.addresses.api);
    const way = await startLegs([api]);
    onTestFinished(way.close);
    const other = await startApi({ redisPrefix: stores.prefix.replace('}', '-other}') });
    const watched = await watch('no workers', { CUSTOMERS_URL: way.url });
    const words = /^El cliente de prueba no puede imprimir etiquetas .*: 503 servicio_no_disponible$/;
    await isSaid(watched, 'an api without workers', words, () => {
      way.ports = [other];
      return () => {
        way.ports = [api];
      };
    });
  });

  test('create in time while MongoDB takes 2 s for each write', async ({
    watch,
    startApi,
    stores,
    system,
    onTestFinished,
  }) => {
    let isSlow = false;
    const proxy = await startMongoProxy(stores.mongoUri, async (command) => {
      if (isSlow && WRITES.some((write) => write in command)) await sleep(2_000);
      return 'done' as const;
    });
    onTestFinished(proxy.close);
    const api = portOf(system.addresses.api);
    const way = await startLegs([api]);
    onTestFinished(way.close);
    way.ports = [await startApi({ mongoUri: proxy.uri })];
    const watched = await watch('slow writes', { CUSTOMERS_URL: way.url });
    const words =
      /^El cliente de prueba .* crear guías .*: (?:[2-9](?:\.\d)? s, objetivo 300 ms|sin respuesta en 5 s)$/;
    const cause = () => {
      isSlow = true;
      return () => {
        isSlow = false;
      };
    };
    await isSaid(watched, '2 s at each write', words, cause, LATE);
  });

  for (const [fate, fault] of [
    ['swapped', 'a proxy that swaps two answers of Redis'],
    ['replaced', "a cache that answers another label's bytes"],
  ] as const)
    test(`read its own label: ${fault}`, async ({ watch, startApi, stores, onTestFinished }) => {
      const proxy = await startLabelProxy(portOf(inject('labelCacheUrl')));
      onTestFinished(proxy.close);
      const labelCacheUrl = Object.assign(new URL(stores.labelCacheUrls.api), {
        port: String(proxy.port),
      }).href;
      const port = await startApi({ labelCacheUrl });
      const watched = await watch(fate, { CUSTOMERS_URL: `http://127.0.0.1:${port}` });
      if (fate === 'swapped') onTestFinished(await fetchAllTheTime(`http://127.0.0.1:${port}`));
      const words =
        /^El cliente de prueba no puede leer lo que dice su etiqueta .*: el código de barras es de otra guía$/;
      await isSaid(watched, fault, words, () => {
        proxy.fate = fate;
        return () => {
          proxy.fate = 'right';
        };
      });
    });
});

describe.concurrent('nobody tries', () => {
  const silent = /^Nadie prueba desde hace .*: el servicio canary no responde$/;

  test('while the canary is killed', async ({ watch, system, onTestFinished }) => {
    const watched = await watch('killed', { CUSTOMERS_URL: system.addresses.api });
    await isSaid(
      watched,
      'the canary is killed',
      silent,
      async () => {
        watched.canary.kill('SIGKILL');
        await watched.canary.ended;
        return () => {
          const again = watched.canary.startAgain();
          onTestFinished(() => again.stop());
        };
      },
      SILENT,
    );
  });

  test('while the canary is frozen', async ({ watch, system }) => {
    const watched = await watch('frozen', { CUSTOMERS_URL: system.addresses.api });
    await isSaid(
      watched,
      'the canary is frozen',
      silent,
      () => {
        watched.canary.kill('SIGSTOP');
        return () => watched.canary.kill('SIGCONT');
      },
      SILENT,
    );
  });

  test('while the canary has no network', async ({ watch, system, onTestFinished }) => {
    const there = await startProxy(() => portOf(system.addresses.api));
    let reports = there;
    const watched = await watch(
      'network',
      { CUSTOMERS_URL: `http://127.0.0.1:${there.port}` },
      async (port) => {
        reports = await startProxy(() => port);
        return `http://127.0.0.1:${reports.port}`;
      },
    );
    onTestFinished(() => Promise.all([there.close(), reports.close()]).then(() => {}));
    await isSaid(
      watched,
      'the canary has no network',
      silent,
      () => {
        const thaw = [there.freeze(), reports.freeze()];
        return () => {
          for (const end of thaw) end();
        };
      },
      SILENT,
    );
  });

  test('once its key has ended, until it gets another one', async ({
    watch,
    stores,
    secrets,
    system,
    folder,
    onTestFinished,
  }) => {
    const { password } = secrets.canary;
    const [first, second] = [newKey(true), newKey(true)];
    const file = join(folder, 'renewed-key');
    const keyIs = (key: string) =>
      ensureCanaryAccount(stores.mongo, { key, password, cell: 'llave', ways: 3 });
    writeFileSync(file, first);
    onTestFinished(() => rmSync(file));
    await keyIs(first);
    const watched = await watch('key', {
      CUSTOMERS_URL: system.addresses.api,
      CELL: 'llave',
      CANARY_KEY_FILE: file,
    });
    const words = /^Nadie prueba: la API rechaza la llave del cliente de prueba \(401\)/;
    await isSaid(watched, 'the key has ended', words, async () => {
      await keyIs(second);
      return () => writeFileSync(file, second);
    });
  });
});

/** Starts customers who fetch their labels from the cache without a pause. @returns what ends them. */
async function fetchAllTheTime(url: string): Promise<() => Promise<void>> {
  const demo = await Client.login(url);
  const guides = await demo.created(...Array.from({ length: 4 }, () => minimalGuide()));
  const end = new AbortController();
  const users = guides.map(async ({ SEND_GUIA }) => {
    while (!end.signal.aborted) {
      await demo.pdf(`/api/guias/etiqueta/${SEND_GUIA}`).catch(() => {});
      await sleep(20);
    }
  });
  return async () => {
    end.abort();
    await Promise.all(users);
  };
}
