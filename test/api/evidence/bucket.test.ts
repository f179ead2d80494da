import { describe, expect } from 'vitest';
import { Bucket } from '#services/api/evidence/bucket.ts';
import { evidencePersonalData } from '#services/api/evidence/personal-data.ts';
import { evidence as room } from '#services/api/evidence/room.ts';
import { IsPublic, RefusesUs } from '#shared/stores/dependencies.ts';
import { Client } from '#test/fixtures/client.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { test as evidence, listedOf, outcomeOf, pathOf, put, storedOf } from './fixture.ts';
import { startPretendedBucket } from './pretended-bucket.ts';

/** Pictures in a bucket, whose server is not real here; that of `bucket.versitygw.ts` is. */

const test = evidence
  .extend('bucket', { scope: 'file' }, async ({}, { onCleanup }) => {
    const bucket = await startPretendedBucket();
    onCleanup(() => bucket.close());
    return bucket;
  })
  /** An api that keeps pictures in the bucket, and who asks it. */
  .extend('storing', { scope: 'file' }, async ({ bucket, demo, scanner, startApi }) => {
    const api = await startApi({ EVIDENCE_BUCKET: bucket.address });
    return { api, scanner: new Client(api.url, scanner.token), demo: new Client(api.url, demo.token) };
  });
const healthOf = async (url: string) => {
  const response = await fetch(`${url}/health/ready`);
  return {
    ...((await response.json()) as { status: string; 'evidence-bucket'?: string }),
    code: response.status,
  };
};

describe('a bucket', () => {
  test('has the bytes of pictures in place of MongoDB, and gives them back', async ({
    bucket,
    delivered,
    storing: { api, demo, scanner },
    stores,
  }) => {
    const guide = await delivered();
    expect(outcomeOf(await put(scanner, pathOf(guide, 'e1', 'firma')))).toEqual([200, 'Evidencia guardada']);
    const { evidence, pictures } = await storedOf(stores.mongo, guide);
    expect([evidence[0]?.store, pictures]).toEqual(['bucket', 0]);
    // The api stores something for a moment when it checks the bucket.
    await expect
      .poll(() => [...bucket.objects.keys()].toSorted())
      .toEqual([evidence[0]?.key, evidence[0]?.printKey].toSorted());
    const { bytes } = await demo.pdf(`/api/guias/${guide}/evidencia/e1/firma`);
    expect(bytes).toEqual(bucket.objects.get(evidence[0]?.key ?? ''));
    expect(await healthOf(api.url)).toMatchObject({ code: 200, 'evidence-bucket': 'ok' });
  });

  test('loses what retention or an erasure removes', async ({
    bucket,
    delivered,
    storing: { api, scanner },
    stores,
  }) => {
    const { besideGuides } = evidencePersonalData;
    if (typeof besideGuides === 'string') throw new Error('The room forgets nobody');
    const guide = await delivered();
    await put(scanner, pathOf(guide, 'e1', 'firma'));
    const { evidence } = await storedOf(stores.mongo, guide);
    await besideGuides.anonymise(
      stores.mongo,
      evidence.map(({ _id }) => _id),
    );
    const { sweep } = api.contextOf(room);
    await finishCut({ sweep: (log) => sweep.run(log) });
    expect(bucket.objects.has(evidence[0]?.key ?? '')).toBe(false);
    expect(bucket.objects.has(evidence[0]?.printKey ?? '')).toBe(false);
  });

  test('that is away holds up uploads alone', async ({ bucket, delivered, storing: { demo, scanner } }) => {
    const guide = await delivered();
    bucket.state.status = 500;
    const { status, body, headers } = await put(scanner, pathOf(guide, 'e1', 'firma'));
    expect([status, body.codigo, headers.get('retry-after')]).toEqual([503, 'servicio_no_disponible', '2']);
    expect(listedOf(await demo.get(`/api/guias/${guide}/evidencia`))).toEqual([]);
    delete bucket.state.status;
    expect(outcomeOf(await put(scanner, pathOf(guide, 'e1', 'firma')))).toEqual([200, 'Evidencia guardada']);
  });
});

describe('an api', () => {
  test.for(['read', 'list'] as const)(
    'whose bucket anybody can %s serves nobody until that is over',
    async (isPublic, { bucket, startApi }) => {
      bucket.state.isPublic = isPublic;
      const { url, server } = await startApi({ EVIDENCE_BUCKET: bucket.address });
      expect(await healthOf(url)).toMatchObject({ code: 503, status: 'down', 'evidence-bucket': 'public' });
      bucket.state.isPublic = 'no';
      await expect.poll(() => healthOf(url)).toMatchObject({ code: 200, 'evidence-bucket': 'ok' });
      await server.close();
    },
  );

  test('whose bucket is away when it starts is ready for everything else', async ({ bucket, startApi }) => {
    bucket.state.status = 500;
    const { url, server } = await startApi({ EVIDENCE_BUCKET: bucket.address });
    expect(await healthOf(url)).toMatchObject({ code: 200, status: 'degraded', 'evidence-bucket': 'down' });
    delete bucket.state.status;
    await server.close();
  });
});

test('the check leaves nothing behind, and says who is at fault', async ({}) => {
  const { address, objects, state, close } = await startPretendedBucket();
  const bucket = new Bucket(address);
  const { signal } = new AbortController();
  await expect(bucket.put('a', Buffer.from('a'), signal)).rejects.toMatchObject({ code: 'unavailable' }); // not asked yet
  await bucket.check();
  expect(objects.size).toBe(0);
  state.status = 403;
  await expect(bucket.check()).rejects.toBeInstanceOf(RefusesUs);
  delete state.status;
  state.isPublic = 'read';
  await expect(bucket.check()).rejects.toBeInstanceOf(IsPublic);
  await expect(bucket.get('a', signal)).rejects.toMatchObject({ code: 'unavailable' });
  expect(objects.size).toBe(0);
  await close();
});
