import { Type } from 'typebox';
import { DomainError } from '#shared/errors/domain-error.ts';
import type { HttpServer } from '#shared/http/http-server.ts';
import { MAX_KEYS } from '#shared/keys/key-model.ts';
import { audit } from '../accounts/hooks/audit.ts';
import { apiUser } from '../accounts/hooks/authenticate.ts';
import { keepIfStillValid } from '../accounts/hooks/authorize.ts';
import { neverStored } from '../accounts/login-route.ts';
import { ignoreBodies } from '../http/ignored-body.ts';
import { BODY_ERRORS, operation } from '../http/operation.ts';
import { describeHeaders } from '../http/responses.ts';
import { Nothing } from '../http/schemas.ts';
import { parseKey } from './key-request.ts';
import type { Key } from './key-store.ts';
import type { KeysContext } from './open.ts';
import { CreatedKey, KEY_EXAMPLE, KeyAnswer, NewKeyRequest } from './schemas.ts';

/** Common options: keys are made and ended by a person, never by a key. */
const OF_KEYS = { tag: 'Llaves', action: 'key', permission: 'token' } as const;

const creation = operation({
  ...OF_KEYS,
  id: 'crearLlave',
  summary: 'Crear una llave para un programa',
  description: `La llave actúa como su usuario, y se manda donde va el token. Un usuario tiene hasta ${MAX_KEYS}.`,
  actsAgain: true,
  request: { body: NewKeyRequest },
  // The words for each problem are those of creation; `parseKey` validates with the same schema.
  validatedBy: 'handler',
  errors: [
    ...(['invalid-json', ...BODY_ERRORS] as const),
    ...(['field-required', 'field-type', 'field-invalid', 'field-too-long', 'field-unknown'] as const),
    'too-many-keys',
  ],
  data: {
    name: 'LlaveCreada',
    message: 'Llave creada: guardela, no se muestra otra vez',
    schema: CreatedKey,
    headers: describeHeaders({ 'Cache-Control': 'no-store' }),
    example: { ...KEY_EXAMPLE, UltimoUso: null, Llave: 'gk_live_q3Vx…' },
  },
});

function creationRoute(server: HttpServer, context: KeysContext): void {
  server.post('/api/llaves', creation, async (request) => {
    const { username, test } = apiUser(request);
    const wanted = parseKey(request.body, await context.keys.clock.now());
    const made = await context.keys.create({ username, ...wanted }, test);
    if (!made) throw new DomainError('too-many-keys');
    const { key, text } = made;
    // A key outlives its token. Nobody has seen its text yet.
    await keepIfStillValid(request, () => context.keys.end(username, key.id));
    const { permissions = [], expiresAt } = key;
    const until = expiresAt && { until: expiresAt.toISOString() };
    audit(context, request, {
      action: 'key.create',
      subject: username,
      details: { key: key.id, permissions, ...until },
    });
    return creation.ok({ ...viewOf(key), Llave: text });
  });
}

const listing = operation({
  ...OF_KEYS,
  id: 'listarLlaves',
  summary: 'Listar las llaves propias',
  description: 'También las vencidas, hasta que se terminan. De su texto solo queda el inicio.',
  data: {
    name: 'Llaves',
    message: (keys) => `Llaves: ${keys.length}`,
    schema: Type.Array(KeyAnswer),
    example: [KEY_EXAMPLE],
  },
});

function listingRoute(server: HttpServer, context: KeysContext): void {
  server.get('/api/llaves', listing, async (request) => {
    const keys = await context.keys.list(apiUser(request).username);
    return listing.ok(keys.map(viewOf));
  });
}

const ending = operation({
  ...OF_KEYS,
  id: 'terminarLlave',
  summary: 'Terminar una llave',
  description: 'Deja de valer en menos de 10 segundos. El cuerpo se ignora.',
  request: {
    params: Type.Object({ id: Type.String({ description: 'Id de la llave', examples: ['7d3f7f3c'] }) }),
  },
  errors: ['key-not-found'],
  data: { name: 'LlaveTerminada', message: 'Llave terminada', schema: Nothing, example: null },
});

function endingRoute(server: HttpServer, context: KeysContext): void {
  server.delete('/api/llaves/:id', ending, async (request) => {
    const { username } = apiUser(request);
    const { id } = request.params;
    if (!(await context.keys.end(username, id))) throw new DomainError('key-not-found');
    audit(context, request, { action: 'key.end', subject: username, details: { key: id } });
    return ending.ok(null);
  });
}

/** `/api/llaves` (docs/contract.md "Keys"). */
export async function keyRoutes(server: HttpServer, context: KeysContext): Promise<void> {
  neverStored(server);
  creationRoute(server, context);
  listingRoute(server, context);
  await server.register(async (bodyless) => {
    ignoreBodies(bodyless);
    endingRoute(bodyless, context);
  });
}

function viewOf({ id, name, start, permissions, createdAt, expiresAt, usedAt }: Key) {
  return {
    Id: id,
    Nombre: name,
    Inicio: start,
    Permisos: permissions ?? null,
    Creada: createdAt.toISOString(),
    Vence: expiresAt?.toISOString() ?? null,
    UltimoUso: usedAt?.toISOString().slice(0, 10) ?? null,
  };
}
