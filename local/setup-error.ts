/** Something that only the person at the keyboard can put right: the message is one sentence that says how. */
export class SetupError extends Error {
  override name = 'SetupError';
}

/** Where a long step says, in one line, what it does. */
export type Log = (line: string) => void;
