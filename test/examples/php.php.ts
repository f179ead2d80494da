import { test } from './example.ts';
import { expectOnPage, expectReceives } from './webhooks.ts';

test('examples/php.php creates guides once and prints them, though answers are lost', ({ run }) =>
  run('php', 'php.php'));

test('examples/webhook.php takes messages that are authentic, and no other', async () => {
  await expectReceives((port) => ['php', '-S', `127.0.0.1:${port}`, 'webhook.php']);
  expectOnPage('webhook.php', 'function esAutentico(array');
});
