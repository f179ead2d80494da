import type { Connection } from 'mongoose';
import { ANONYMOUS, Guide } from '#shared/guides/guide.ts';
import {
  GUIDES,
  type GuideDocument,
  PERSON_SECTIONS,
  PERSONAL_DATA,
  type Personal,
  type PersonalFields,
  type PersonSection,
} from '#shared/guides/guide-model.ts';
import { modelOf } from '#shared/stores/collection.ts';
import { type GuideStep, guideSteps } from './guide-store.ts';
import { untilStored } from './until-stored.ts';

const REQUIRED = Object.fromEntries(
  Object.entries(Guide.properties).map(([part, schema]) => [
    part,
    (schema as { required?: string[] }).required,
  ]),
);
const ANONYMISE_ALL = anonymise(Object.keys(PERSONAL_DATA) as (keyof Guide)[]);

/** A page of guides that are read whole: some megabyte. */
const PAGE_SIZE = 1_000;

/**
 * Anonymises the guides of a step created before a moment. Numbers, branches, service, dates, weight, measures and value
 * stay.
 * @param now is stored as the time at which they were anonymised.
 * @returns the number of changed guides.
 */
export async function anonymiseOlder(
  mongo: Connection,
  step: GuideStep,
  before: Date,
  now: Date,
): Promise<number> {
  const { modifiedCount } = await modelOf(mongo, GUIDES).updateMany(
    { ...step.filter, anonymised: { $exists: false }, createdUtc: { $lt: before } },
    [...ANONYMISE_ALL, { $set: { anonymised: now } }],
    { updatePipeline: true },
  );
  return modifiedCount;
}

export async function anonymiseSection(
  mongo: Connection,
  numbers: string[],
  section: PersonSection,
): Promise<void> {
  const filter = { _id: { $in: numbers } };
  await modelOf(mongo, GUIDES).updateMany(filter, anonymise([section]), { updatePipeline: true });
}

/** Returns all guides, once all that are committed are stored. Pages by ascending number keep queries short. */
export async function* allGuides(mongo: Connection): AsyncGenerator<GuideDocument[]> {
  await untilStored(mongo);
  for await (const step of guideSteps(mongo, PAGE_SIZE)) {
    yield await modelOf(mongo, GUIDES).find(step.filter).sort({ _id: 1 }).lean();
  }
}

/**
 * Makes the stages of an update. A person's section is replaced whole, with fields of other releases; other parts
 * lose their personal fields. Required fields get a text.
 */
function anonymise(parts: readonly (keyof Guide)[]) {
  const $unset: string[] = [];
  const $set: Record<string, unknown> = {};
  for (const part of parts) {
    const fields: PersonalFields | Personal = PERSONAL_DATA[part];
    if (typeof fields !== 'object') {
      if (fields) $unset.push(`guide.${part}`);
      continue;
    }
    const personal = Object.entries(fields).flatMap(([field, isPersonal]) => (isPersonal ? [field] : []));
    const required = personal.filter((field) => REQUIRED[part]?.includes(field));
    if (part in PERSON_SECTIONS) {
      $unset.push(`guide.${part}`);
      $set[`guide.${part}`] = { $literal: Object.fromEntries(required.map((field) => [field, ANONYMOUS])) };
    } else {
      $unset.push(...personal.map((field) => `guide.${part}.${field}`));
      for (const field of required) $set[`guide.${part}.${field}`] = ANONYMOUS;
    }
  }
  // These have the recipient's name, phones and postal code, or may tell them.
  if (parts.includes('Destinatario')) $unset.push('sought', 'priced', 'route');
  // A guide is invalid without a destination.
  const destination = { 'guide.Destinatario.DestinoCode': '$destination.code' };
  return [{ $unset }, { $set }, ...(parts.includes('Destinatario') ? [{ $set: destination }] : [])];
}
