import { test } from './example.ts';

test('examples/php.php creates guides once and prints them, though answers are lost', ({ run }) =>
  run('php', 'php.php'));
