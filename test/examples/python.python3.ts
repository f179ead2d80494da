import { test } from './example.ts';
import { expectOnPage, expectReceives } from './webhooks.ts';

test('examples/python.py creates guides once and prints them, though answers are lost', ({ run }) =>
  run('python3', 'python.py'));

test('examples/webhook.py takes messages that are authentic, and no other', async () => {
  await expectReceives(() => ['python3', 'webhook.py']);
  expectOnPage('webhook.py', 'def es_autentico');
});
