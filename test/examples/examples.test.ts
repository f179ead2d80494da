import { test } from './example.ts';

test('examples/curl.sh creates guides once and prints them, though answers are lost', ({ run }) =>
  run('sh', 'curl.sh'));

test('examples/node.mjs creates guides once and prints them, though answers are lost', ({ run }) =>
  run(process.execPath, 'node.mjs'));
