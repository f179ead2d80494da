import { execFileSync } from 'node:child_process';
import { UnrecoverableError } from 'bullmq';
import { Type } from 'typebox';
import { expect } from 'vitest';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { LabelPayload } from '#shared/labels/label-payload.ts';
import { ManifestPayload } from '#shared/manifests/manifest-payload.ts';
import { type LabelJob, labelKey, payloadOf, TEMPLATE_VERSION } from '#shared/printing/label-job.ts';
import { strictAjv } from '#shared/schemas/strict-ajv.ts';
import { type CreatedGuide, minimalGuide } from '#test/fixtures/client.ts';
import { pretendPrinter } from '#test/fixtures/labels/pretended-worker.ts';
import { manifestOf } from '#test/fixtures/manifests.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A label worker of 1.6 beside an api of this release, while an upgrade goes on or is taken back. */

/** The version of its templates. */
const FORMER_VERSION = '15';
/** It refuses what it does not know, and looks at nothing beside `label`. */
const strict = { additionalProperties: false };
const isLabel = strictAjv().compile(Type.Omit(LabelPayload, ['route', 'pickUp'], strict));
const isManifest = strictAjv().compile(Type.Omit(ManifestPayload, ['routes'], strict));

const test = services
  .extend('startFormer', { scope: 'file' }, ({ stores }) => async () => {
    const jobs: LabelJob[] = [];
    const print = async ({ data }: { data: LabelJob }) => {
      if (!isLabel(data.label) && !isManifest(data.label)) throw new UnrecoverableError('payload-invalid');
      jobs.push(data);
      return Buffer.from('%PDF-1.4 of the former release');
    };
    return { jobs, stop: await pretendPrinter(stores, print, FORMER_VERSION) };
  })
  /** The labels of a guide with a route and of one that is picked up, and a manifest with both. */
  .extend('paths', { scope: 'file' }, async ({ stores, demo }) => {
    const coverage = [{ postalCode: '06600', code: 'MEX01', route: 'R-12' }];
    await new BranchStore(stores.mongo).loadCoverage(coverage);
    const known = async () => (await demo.get('/api/sucursales/cobertura/06600')).body.data;
    await expect.poll(known, { timeout: 30_000 }).toMatchObject({ Ruta: 'R-12' });
    const [atHome] = await demo.created(minimalGuide());
    const { body } = await demo.create([minimalGuide()], 'the service');
    const Guias = [atHome, ...(body.data as CreatedGuide[])].map((guide) => guide?.SEND_GUIA ?? '');
    const { Manifiesto } = manifestOf(await demo.post('/api/manifiestos', { Guias }));
    return [...Guias.map((guide) => `/api/guias/etiqueta/${guide}`), `/api/manifiestos/${Manifiesto}/pdf`];
  });

test('prints without what it does not know, and its print is not taken for ours', async ({
  demo,
  paths,
  startFormer,
  startLabelWorker,
}) => {
  const print = async (path: string) => {
    const { status, headers, bytes } = await demo.pdf(path);
    return { status, version: /-(\d+)"$/.exec(headers.get('etag') ?? '')?.[1], bytes };
  };
  const former = await startFormer();
  for (const path of paths) expect(await print(path)).toMatchObject({ status: 200, version: FORMER_VERSION });
  expect(former.jobs.map(({ newer }) => newer)).toMatchObject([
    { route: 'R-12' },
    { pickUp: { Calle: 'Av. Paseo de la Reforma' } },
    { routes: { [/\d+$/.exec(paths[0] ?? '')?.[0] ?? '']: 'R-12' } },
  ]);
  // A worker of this release has all, by the same key: a picture is drawn from the PDF that has it.
  for (const job of former.jobs) expect(labelKey(payloadOf(job))).toBe(job.key);
  await former.stop();

  await startLabelWorker();
  for (const [i, shown] of ['R-12', 'RECOGER EN', 'R-12'].entries()) {
    const { bytes, ...answer } = await print(paths[i] ?? '');
    expect(answer).toEqual({ status: 200, version: TEMPLATE_VERSION });
    expect(execFileSync('pdftotext', ['-layout', '-', '-'], { input: bytes, encoding: 'utf8' })).toContain(
      shown,
    );
  }
});
