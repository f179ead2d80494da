import {
  CanaryNameTaken,
  type CanarySecrets,
  ensureCanaryAccount,
} from '#services/api/canary/ensure-account.ts';
import { createLogger } from '#shared/observability/logger.ts';
import { connectMongo } from '#shared/stores/mongo.ts';
import { PATIENT } from './demo-data.ts';

/**
 * Makes the account of the canary that `npm start` runs. It comes after the demo data, which need a database without users.
 * @returns why there is none, in Spanish, if its name is a customer's: all else starts without it.
 */
export async function provideCanaryAccount(
  mongodbUri: string,
  secrets: CanarySecrets,
): Promise<string | undefined> {
  const mongo = await connectMongo(mongodbUri, createLogger('canary', 'warn'), PATIENT);
  try {
    await ensureCanaryAccount(mongo, { ...secrets, cell: process.env.CELL ?? '' });
    return undefined;
  } catch (error) {
    if (error instanceof CanaryNameTaken) return error.message;
    throw error;
  } finally {
    await mongo.close();
  }
}
