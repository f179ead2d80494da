import { test } from './example.ts';

test('examples/python.py creates guides once and prints them, though answers are lost', ({ run }) =>
  run('python3', 'python.py'));
