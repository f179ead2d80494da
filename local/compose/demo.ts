import { Type } from 'typebox';
import { loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { DEMO_PASSWORD, seedDemoData } from '../demo-data.ts';

/** `ALLOW_DEMO_USERS=true docker compose --profile demo up`: loads the demo data into a database that has no users. */

const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
const loaded = await seedDemoData(MONGODB_URI);
process.stdout.write(
  loaded
    ? `Loaded the demo data: user "demo", password "${DEMO_PASSWORD}".\n`
    : 'The database has users already: the demo data is not loaded.\n',
);
