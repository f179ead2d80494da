import { Type } from 'typebox';
import { loginSettings } from '#shared/accounts/settings.ts';
import { loadConfig } from '#shared/config/load-config.ts';
import { mongoSettings } from '#shared/config/settings.ts';
import { DEMO_PASSWORD, nationalCoverage, seedDemoData } from '../demo-data.ts';

/** `DEMO=1 docker compose up` loads the demo data into a database that has no users. */

const { ALLOW_DEMO_USERS, MONGODB_URI } = loadConfig(
  Type.Object({ ...mongoSettings, ALLOW_DEMO_USERS: loginSettings.ALLOW_DEMO_USERS }),
  process.env,
);
const loaded = ALLOW_DEMO_USERS && (await seedDemoData(MONGODB_URI, nationalCoverage()));
process.stdout.write(
  loaded ? `Loaded the demo data: user "demo", password "${DEMO_PASSWORD}".\n` : 'No demo data is loaded.\n',
);
