import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'vitest';
import { signedHeaders, testEvent } from '#services/webhooks/message.ts';
import { newSecret } from '#shared/webhooks/webhook-secrets.ts';
import { clientTools } from '#test/clients/tools/client-tools.ts';

/** Node's library is in test/webhooks/sender.test.ts. */
test('the official Python library of Standard Webhooks verifies a message, and no other', () => {
  const [message, secret] = [testEvent(new Date()), newSecret()];
  const headers = JSON.stringify(signedHeaders(message, [secret], new Date()));
  const program = join(import.meta.dirname, 'programs', 'webhook.py');
  execFileSync(clientTools.python, [program, secret, headers], { input: message.body, timeout: 20_000 });
});
