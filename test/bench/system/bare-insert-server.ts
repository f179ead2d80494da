import Fastify from 'fastify';
import { mongo } from 'mongoose';
import { newRecord } from '../load/guides.ts';

// What guide creation is measured against: Fastify and MongoDB's driver, one insert a request, nothing checked,
// nobody asked who they are. `MONGODB_URI`, `PORT`.
const client = await mongo.MongoClient.connect(process.env.MONGODB_URI ?? '');
const guides = client.db().collection<{ _id: string; guide: unknown }>('bare_guides');
const server = Fastify();

server.post<{ Body: { Guia: unknown[] } }>('/api/guias/crear', async ({ body }) => {
  const record = newRecord();
  await guides.insertOne({ ...record, guide: body.Guia[0] });
  return { data: [{ SEND_GUIA: record._id }] };
});

process.on('SIGTERM', async () => {
  await server.close();
  await client.close();
});
await server.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
