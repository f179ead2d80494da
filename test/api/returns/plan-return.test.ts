import { describe, expect, test } from 'vitest';
import { errorsOf } from '#services/api/http/room.ts';
import { type Lookups, planReturn, refusalOf } from '#services/api/returns/plan-return.ts';
import { returns } from '#services/api/returns/room.ts';
import type { Branch } from '#shared/branches/branch.ts';
import { ANONYMOUS, type Guide } from '#shared/guides/guide.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { fullGuide } from '#test/fixtures/client.ts';

/** From where to where a return goes (docs/contract.md "Returns"). */

const branch = (Codigo: string, CodigoPostal: string) => ({ Codigo, CodigoPostal, Nombre: Codigo }) as Branch;
const MEX = branch('MEX01', '06600');
const MTY = branch('MTY01', '64000');
const TIJ = branch('TIJ01', '22000');
/** TIJ01 is no destination. */
const DESTINATIONS = [MEX, MTY];
const COVERED: Record<string, Branch> = { '06700': MEX, '64000': MTY };

const lookups = (active: readonly Branch[] = [MEX, MTY, TIJ]): Lookups => ({
  active: async (code) => active.find(({ Codigo }) => Codigo === code),
  destination: async (query) => {
    const found =
      'code' in query ? DESTINATIONS.find(({ Codigo }) => Codigo === query.code) : COVERED[query.postalCode];
    return found && { branch: found, route: 'postalCode' in query ? 'R-1' : undefined };
  },
});

function original(
  { origin = 'MEX01', destination = 'MTY01', ...changes }: Record<string, unknown> = {},
  guide: Partial<Guide> = {},
) {
  return {
    _id: '390458235877',
    status: 'Entregado',
    origin: { code: origin, name: 'x' },
    destination: { code: destination, name: 'y' },
    guide: { ...fullGuide(), ...guide },
    ...changes,
  } as GuideDocument;
}
const NO_ADDRESS = { Remitente: { Nombre: 'Ana López', Telefono: '5512345678' } };
/** What the wire calls an error. */
const codigoOf = (code = '') => errorsOf([returns, ...returns.needs])[code]?.codigo ?? code;
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'planned',
    ({ code, problems }) => `${codigoOf(code)} ${problems[0].campo}`,
  );

test('goes to the door of the sender, from the branch where the original ended', async () => {
  const { service, origin, destination, guide } = await planReturn(original(), {}, lookups());
  expect([service, origin.Codigo, destination.branch.Codigo]).toEqual(['Domicilio', 'MTY01', 'MEX01']);
  expect([destination.homePostalCode, destination.route]).toEqual(['06700', 'R-1']);
  const { Remitente, Destinatario, Producto, Referencia } = fullGuide();
  const { RazonSocial: _, RFC: __, Referencias: ___, DestinoCode: ____, ...person } = Destinatario;
  expect(guide).toEqual({
    ...{ Remitente: person, Destinatario: Remitente, Producto, Creado_por: {}, Referencia },
  });
});

describe('without an address of the sender', () => {
  test('it goes to the branch of origin, where it is picked up', async () => {
    const { service, destination, guide } = await planReturn(original({}, NO_ADDRESS), {}, lookups());
    expect([service, destination.branch.Codigo]).toEqual(['the service', 'MEX01']);
    expect(guide.Destinatario).toEqual({ ...NO_ADDRESS.Remitente, DestinoCode: 'MEX01' });
  });

  test('a street without a covered postal code is none', async () => {
    const sender = { Remitente: { ...fullGuide().Remitente, CodigoPostal: '99999' } };
    const { service, guide } = await planReturn(original({}, sender), {}, lookups());
    expect(service).toBe('the service');
    expect(guide.Destinatario).not.toHaveProperty('Calle');
  });

  test('nor a branch of origin where guides end, the request names the field that helps', async () => {
    const from = original({ origin: 'TIJ01' }, NO_ADDRESS);
    expect(await codeOf(planReturn(from, {}, lookups()))).toBe('devolucion_sin_destino DestinoCode');
    const { destination } = await planReturn(from, { DestinoCode: 'mty01' }, lookups());
    expect(destination.branch.Codigo).toBe('MTY01');
  });
});

describe('a branch that is named', () => {
  test.for([
    [{ DestinoCode: 'MEX01' }, 'the service MEX01'],
    [{ DestinoCode: 'MEX01', TipoServicio: 'Domicilio' }, 'Domicilio MEX01'],
  ] as const)('%j: %s', async ([request, expected]) => {
    const { service, destination } = await planReturn(original(), request, lookups());
    expect(`${service} ${destination.branch.Codigo}`).toBe(expected);
  });

  test.for([
    [{ DestinoCode: 'TIJ01' }, 'destino_invalido DestinoCode'],
    [{ DestinoCode: 'MTY01', TipoServicio: 'Domicilio' }, 'devolucion_sin_domicilio DestinoCode'],
  ] as const)('%j: %s', async ([request, expected]) => {
    expect(await codeOf(planReturn(original(), request, lookups()))).toBe(expected);
  });
});

test('begins where the recipient is covered if the branch has closed, and nowhere if nothing is', async () => {
  const closed = lookups([MEX, TIJ]);
  expect((await planReturn(original(), {}, closed)).origin.Codigo).toBe('MTY01');
  const { CodigoPostal: _, ...recipient } = fullGuide().Destinatario;
  const uncovered = original({}, { Destinatario: recipient });
  expect(await codeOf(planReturn(uncovered, {}, closed))).toBe('devolucion_sin_origen guia');
});

test('takes what the request says of the goods and of who sends, and never more packages', async () => {
  const goods = { ...fullGuide().Producto, Paquetes: 3 };
  const of = original({}, { Producto: goods });
  const Remitente = { Nombre: 'Otra persona' };
  const { guide } = await planReturn(of, { Producto: { Paquetes: 2, Peso: 1 }, Remitente }, lookups());
  expect(guide.Producto).toEqual({ ...goods, Paquetes: 2, Peso: 1 });
  expect(guide.Remitente).toEqual(Remitente);
  expect(await codeOf(planReturn(of, { Producto: { Paquetes: 4 } }, lookups()))).toBe(
    'campo_formato Producto.Paquetes',
  );
});

test.for<[changes: Record<string, unknown>, early: boolean, expected: string | undefined]>([
  [{}, false, undefined],
  [{ status: 'EnReparto' }, false, 'guia_no_entregada'],
  [{ status: 'EnReparto' }, true, undefined],
  [{ status: 'Devuelto' }, true, 'guia_no_entregada'],
  [{ status: 'Cancelado' }, true, 'guia_cancelada'],
  [{ anonymised: new Date() }, false, 'guia_anonimizada'],
  [{ facts: { DevolucionDe: '1' } }, false, 'devolucion_de_devolucion'],
])('%j, early %s: %s', ([changes, Anticipada, expected]) => {
  const refusal = refusalOf(original(changes), { Anticipada });
  expect(refusal && codigoOf(refusal.code)).toBe(expected);
});

test('a guide whose sender was erased has none', () => {
  const erased = original({}, { Remitente: { Nombre: ANONYMOUS } });
  expect(codigoOf(refusalOf(erased, {})?.code)).toBe('guia_anonimizada');
});
