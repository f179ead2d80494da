import { expect, test } from 'vitest';
import { type Base, defineRoom, openRooms, type Room } from '#services/api/http/room.ts';
import { Port } from '#services/api/platform/port.ts';
import type { HttpServer } from '#shared/http/http-server.ts';

/** Returns what a room must say that has nothing. */
function nothing(name: string) {
  const none = 'none' as const;
  const data = {
    ...{
      name,
      about: 'Of a test',
      permissions: none,
      auditActions: none,
      actions: none,
      collections: none,
      redis: none,
    },
    ...{ users: none, settings: none, subjects: none, chapters: none, commands: none },
  };
  return { data, errors: {}, personalData: none, changes: none };
}
type Lower = { store: string; port: Port<string> };

const lower = defineRoom({
  ...nothing('lower'),
  needs: [],
  open: (): Lower => ({ store: 'of the lower room', port: new Port('default') }),
});
const fills = (_server: HttpServer, { port }: Base & Lower) => port.fill('filled');
const usesStore = (_server: HttpServer, _context: Base & Pick<Lower, 'store'>) => {};
const upper = defineRoom({ ...nothing('upper'), needs: [lower], open: fills, routes: [usesStore] });

function open(...rooms: Room[]) {
  // These rooms use neither the server nor the rest of the base.
  return openRooms({} as HttpServer, { rooms } as unknown as Base);
}

test('a room that uses what the rooms that it needs do not provide does not compile', () => {
  // @ts-expect-error Its routes use the store of `lower`.
  defineRoom({ ...nothing('alone'), needs: [], routes: [usesStore] });
  // @ts-expect-error Its open routes do.
  defineRoom({ ...nothing('alone'), needs: [], openRoutes: [usesStore] });
  // @ts-expect-error It does when it opens.
  defineRoom({ ...nothing('alone'), needs: [], open: usesStore });
  // @ts-expect-error It needs only a room that needs `lower`.
  defineRoom({ ...nothing('alone'), needs: [upper], routes: [usesStore] });
});

test('a room reads what a room above it has filled since it was opened', async () => {
  const { contextOf } = await open(lower, upper);
  expect(contextOf(lower)).toMatchObject({ store: 'of the lower room', port: { value: 'filled' } });
});

test('a room does not open before those that it needs, nor without them', async () => {
  for (const rooms of [[upper, lower], [upper]])
    await expect(open(...rooms)).rejects.toThrow(
      'The room upper does not stand behind lower, which it needs',
    );
});

test('no two rooms fill one port', async () => {
  const other = defineRoom({ ...nothing('other'), needs: [lower], open: fills });
  await expect(open(lower, upper, other)).rejects.toThrow('Two rooms fill one port');
});
