import { Type } from 'typebox';
import { loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { DEMO_PASSWORD, seedDemoData } from '../demo-data.ts';

/** `docker compose --profile demo up`: loads the demo data where the database has no users yet. */

const { MONGODB_URI } = loadConfig(Type.Object(mongoSettings), process.env);
const loaded = await seedDemoData(MONGODB_URI);
process.stdout.write(
  loaded
    ? `Loaded the demo data: user "demo", password "${DEMO_PASSWORD}".\n`
    : 'The database has users already: no demo data.\n',
);
