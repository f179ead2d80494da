import { mongo } from 'mongoose';
import { applyUsers } from '../access/mongo-users.ts';

/** Creates MongoDB's users on DocumentDB, which has one role only: each user may do everything. */
await applyUsers(async (client, user, uri) => {
  const { credentials } = new mongo.MongoClient(uri).options;
  const admin = client.db('admin');
  const { users } = await admin.command({ usersInfo: credentials?.username });
  if (users?.length) return;
  await admin.command({
    createUser: credentials?.username,
    pwd: credentials?.password,
    roles: ['clusterAdmin', 'readWriteAnyDatabase'].map((role) => ({ role, db: 'admin' })),
  });
  process.stdout.write(`The user ${user} may do everything: DocumentDB has no roles by collection.\n`);
});
