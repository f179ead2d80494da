import { expect, it } from 'vitest';
import { warnOfDemoUsers } from '#shared/auth/demo-users.ts';

it.each([
  [true, '0.0.0.0', 1],
  [true, '10.0.0.7', 1],
  [true, '::', 1],
  [true, '127.0.0.1', 0],
  [true, '::1', 0],
  [true, 'localhost', 0],
  [false, '0.0.0.0', 0],
])('ALLOW_DEMO_USERS=%s at %s logs %i warnings', (ALLOW_DEMO_USERS, HOST, warnings) => {
  const messages: string[] = [];
  warnOfDemoUsers({ ALLOW_DEMO_USERS, HOST }, {
    warn: (_: object, message: string) => messages.push(message),
  } as never);
  expect(messages).toHaveLength(warnings);
});
