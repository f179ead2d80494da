import { expect, it } from 'vitest';
import { labelView } from '#services/label-worker/label/view.ts';
import { label } from '#test/fixtures/labels/labels.ts';

it.each([
  [0.0001, '0.001'],
  [0.0004, '0.001'],
  [0.0005, '0.001'],
  [0.25, '0.25'],
  [999.9994, '999.999'],
])('a measure of %d shows as %s, never as 0', (measure, shown) => {
  const payload = label();
  payload.guide.Producto = { Contenido: 'Libros', Peso: measure, Alto: measure };
  const { goods } = labelView(payload);
  expect([goods.weight, goods.measures]).toEqual([`${shown} kg`, `— × — × ${shown} cm`]);
});
