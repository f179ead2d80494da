import type { UsersData } from '#shared/room-data.ts';
import { wordsOfUsers } from '#shared/rooms.ts';

/** Returns what all rooms move, forget or end of users, in a list of words that begins with `first`. */
export function listed(name: keyof UsersData, ...first: string[]): string {
  return new Intl.ListFormat('es').format([...first, ...wordsOfUsers(name)]);
}

/** Returns what of a removed user keeps the name of the account: what a name is taken out of, and does not move. */
export function staysInAccount(): string {
  const moved = wordsOfUsers('moves');
  return new Intl.ListFormat('es').format(wordsOfUsers('forgets').filter((word) => !moved.includes(word)));
}
