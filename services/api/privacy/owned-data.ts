import type { OwnedData } from '../accounts/owned-data.ts';
import { untilStored } from '../guides/until-stored.ts';
import { PersonalDataStore } from './personal-data-store.ts';

/** Names of users in guides and events. */
export const namesOfUsers: OwnedData = {
  async forgetUser(mongo, username, onGuides) {
    await untilStored(mongo);
    for await (const step of new PersonalDataStore(mongo).forgetUser(username)) onGuides(step);
  },
};
