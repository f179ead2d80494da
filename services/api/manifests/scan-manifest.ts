import { ProblemList } from '#shared/errors/domain-error.ts';
import { MAX_GUIDES } from '#shared/guides/guide.ts';
import { isTestManifest, type ManifestGuide } from '#shared/manifests/manifest.ts';
import type { Manifest } from '#shared/manifests/manifest-model.ts';
import type { EventBody } from '#shared/tracking/event-model.ts';
import type { GuideStore } from '../guides/guide-store.ts';
import { fieldError, isAbsent, isObject, normalizeFields, tidy, typeOf } from '../http/body.ts';
import type { Port } from '../platform/port.ts';
import type { EventRegister } from '../tracking/event-register.ts';
import { checkEvent } from '../tracking/event-request.ts';
import { type Outcome, registerChecked } from '../tracking/register-events.ts';
import { manifestNumbers } from './manifest-number.ts';
import { textsOf } from './manifest-request.ts';
import type { ManifestStore } from './manifest-store.ts';

/** Takes a code that was scanned with a manifest, of a room above. */
export type ScannedWith = {
  /** The field that has the code. */
  field: string;
  /**
   * Finds what the code names, before anything is registered.
   *
   * @param account of the manifest.
   * @returns what to do once the scan is registered. @throws DomainError of the field.
   */
  find(code: string, account: string): Promise<(occurred: Date, username: string) => Promise<void>>;
};

type Deps = {
  manifests: ManifestStore;
  guides: GuideStore;
  events: EventRegister;
  scannedWith: Port<ScannedWith | undefined>;
};

const FIELDS: ReadonlySet<string> = new Set(['Manifiesto', 'Tipo', 'Ocurrido', 'Sucursal', 'Faltan']);

/** Returns whether a body reports the scan of a manifest, in place of events. */
export function isManifestScan(body: unknown): body is Record<string, unknown> {
  return isObject(body) && !isAbsent(tidy(body.Manifiesto));
}

/**
 * Registers that the guides of a manifest were picked up, but for those that are missing. The manifest's number is the id
 * of each event, so a further scan registers only guides that were missing before.
 *
 * @returns what became of each guide that is not missing; `indice` is its place in the manifest.
 * @throws DomainError `fields-invalid`, `field-…` of one field, `manifest-not-found`, `guide-is-test`,
 * `guide-not-in-manifest`; as `registerEvents`.
 */
export async function scanManifest(
  deps: Deps,
  body: Record<string, unknown>,
  username: string,
): Promise<(Outcome & { indice: number; guide: string })[]> {
  const problems = new ProblemList();
  const beside = deps.scannedWith.value;
  const known = beside ? new Set([...FIELDS, beside.field]) : FIELDS;
  const { Manifiesto, Faltan, ...event } = normalizeFields(body, known, problems);
  problems.throwIfAny('fields-invalid');
  const manifest = await findScanned(deps.manifests, Manifiesto);
  const { [beside?.field ?? '']: code, ...told } = event;
  const common = eventOf(manifest, told);
  const missing = new Set(missingOf(manifest, Faltan));
  const present = [...manifest.guides.entries()].filter(([, { number }]) => !missing.has(number));
  const events = present.map(([, { number }]) => ({ ...common, Guia: number }));
  const then = beside && code !== undefined && (await findBeside(beside, code, manifest));
  const outcomes = await registerChecked(deps, events, username);
  if (then) await then(new Date(common.Ocurrido), username);
  return outcomes.map((outcome, i) => {
    const [indice, { number }] = present[i] as [number, ManifestGuide];
    return { ...outcome, indice, guide: number };
  });
}

function findBeside({ field, find }: ScannedWith, code: unknown, { account }: Manifest) {
  if (typeof code === 'string') return find(code, account);
  throw fieldError(field, 'field-type', { expected: 'string', given: typeOf(code) });
}

async function findScanned(manifests: ManifestStore, sent: unknown): Promise<Manifest> {
  const campo = 'Manifiesto';
  if (typeof sent !== 'string') {
    throw fieldError(campo, 'field-type', { expected: 'string', given: typeOf(sent) });
  }
  if (!manifestNumbers.has(sent)) throw fieldError(campo, 'manifest-not-found');
  if (isTestManifest(sent)) throw fieldError(campo, 'guide-is-test');
  const manifest = await manifests.find(sent);
  if (!manifest) throw fieldError(campo, 'manifest-not-found');
  return manifest;
}

/** Returns the event of the manifest's first guide. Those of the others differ only in the guide. */
function eventOf({ _id, guides }: Manifest, told: Record<string, unknown>): EventBody {
  const event = checkEvent({ ...told, Guia: guides[0]?.number, Id: _id });
  if (!('Guia' in event)) throw fieldError(event.campo ?? '', event.code, event.params);
  if (event.Tipo !== 'Recolectado') {
    throw fieldError('Tipo', 'field-invalid', { rule: 'debe ser Recolectado, si va con Manifiesto' });
  }
  return { ...event, Manifiesto: _id };
}

/** @throws DomainError `guide-not-in-manifest`, with the index of each guide that is not of the manifest. */
function missingOf({ guides }: Manifest, sent: unknown): string[] {
  const campo = 'Faltan';
  if (sent === undefined) return [];
  if (!Array.isArray(sent)) throw fieldError(campo, 'field-invalid', { rule: 'debe ser un array' });
  if (sent.length > MAX_GUIDES) throw fieldError(campo, 'too-many-guides');
  const numbers = textsOf(campo, sent);
  const listed = new Set(guides.map(({ number }) => number));
  const problems = new ProblemList();
  for (const [indice, number] of numbers.entries()) {
    if (!listed.has(number)) problems.add(() => ({ indice, campo, code: 'guide-not-in-manifest' }));
  }
  problems.throwIfAny('guide-not-in-manifest');
  return numbers;
}
