import { BRANCHES } from '#local/demo-data.ts';
import { stateOfPostalCode } from '#services/api/guides/states.ts';
import { BranchStore } from '#shared/branches/branch-store.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { newGuide } from './guides.ts';

const POSTAL_CODES = 10_000;
const FIRST_POSTAL_CODE = 20_000;
const DESTINATIONS = 200;

/** Adds two hundred branches, which cover ten thousand postal codes, to the demo's. */
export async function loadCoverage(mongoUri: string): Promise<void> {
  const mongo = await connectMongo(mongoUri, createLogger('bench', 'silent'));
  const [branch] = BRANCHES;
  if (!branch) throw new Error('The demo has no branch');
  const destinations = Array.from({ length: DESTINATIONS }, (_, i) => ({ ...branch, Codigo: `DES${i}` }));
  const store = new BranchStore(mongo);
  await store.loadBranches([...BRANCHES, ...destinations]);
  await store.loadCoverage(
    Array.from({ length: POSTAL_CODES }, (_, rank) => ({
      postalCode: postalCodeOf(rank),
      code: `DES${rank % DESTINATIONS}`,
    })),
  );
  await mongo.close();
}

/**
 * A guide to one of the covered postal codes, as customers send them: the code of rank r (from 1) comes up in proportion
 * to 1/r (Zipf's law). No branch is named, so the postal code decides.
 */
export function newGuideByPostalCode() {
  const guide = newGuide();
  const rank = Math.floor((POSTAL_CODES + 1) ** Math.random()) - 1;
  const { DestinoCode: _, ...address } = guide.Destinatario;
  const code = postalCodeOf(rank);
  return { ...guide, Destinatario: { ...address, CodigoPostal: code, Estado: stateOfPostalCode(code) } };
}

function postalCodeOf(rank: number): string {
  return String(FIRST_POSTAL_CODE + rank);
}
