import { type OwnedData, REMOVED_USER } from '../accounts/owned-data.ts';
import { ManifestStore } from './manifest-store.ts';

export const ownedManifests: OwnedData = {
  moveToAccount: (mongo, username, account) => new ManifestStore(mongo).moveToAccount(username, account),
  forgetUser: (mongo, username) => new ManifestStore(mongo).forgetUser(username, REMOVED_USER),
};
