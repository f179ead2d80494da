import { randomUUID } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { run } from '#services/api/cli.ts';
import { guides as room } from '#services/api/guides/room.ts';
import { parseSearch } from '#services/api/privacy/commands.ts';
import { sectionsNaming } from '#services/api/privacy/person-search.ts';
import { AuditStore } from '#shared/audit/audit-store.ts';
import type { JournalEntry } from '#shared/guides/creation-model.ts';
import type { GuideDocument } from '#shared/guides/guide-model.ts';
import { isLabelPayload } from '#shared/labels/label-payload.ts';
import { newRecord } from '#test/bench/load/guides.ts';
import { fullGuide } from '#test/fixtures/client.ts';
import { finishCut } from '#test/fixtures/finish-cut.ts';
import { label } from '#test/fixtures/labels/labels.ts';
import { runCommand } from '#test/fixtures/operators/command.ts';
import { test as services } from '#test/fixtures/services.ts';

/** A person of each test's own, as sender of one guide and as recipient of another. */
const newPerson = () => {
  const digits = String(5_500_000_000 + Math.floor(Math.random() * 99_999_999));
  return { name: `Íñigo Peña ${digits}`, phone: digits, email: `inigo.${digits}@correo.mx` };
};
type Person = ReturnType<typeof newPerson>;

const test = services
  .extend('guides', { scope: 'file' }, ({ stores }) => stores.mongo.collection<GuideDocument>('guides'))
  .extend('trail', { scope: 'file' }, ({ stores }) => new AuditStore(stores.mongo))
  /** Runs `npm run admin -- privacy …` as an operator of this name. */
  .extend(
    'privacy',
    { scope: 'file' },
    ({ stores, folder }) =>
      (operator: string, args: string[], input = '') =>
        runCommand(run, ['privacy', ...args], {
          input,
          env: { MONGODB_URI: stores.mongoUri, OPERATOR: operator, INIT_CWD: folder },
        }),
  )
  .extend('person', () => newPerson())
  /** The person's guides: one as sender, one as recipient. */
  .extend('numbers', async ({ demo, person }) => {
    const { Remitente, Destinatario, ...rest } = fullGuide();
    const created = await demo.created(
      { Remitente: contact(person), Destinatario, ...rest },
      { Remitente, Destinatario: { ...Destinatario, ...contact(person) }, ...rest },
    );
    return created.map(({ SEND_GUIA }) => SEND_GUIA);
  });

const contact = ({ name, phone, email }: Person) => ({ Nombre: name, Celular: phone, Email: email });
const one = async <T>(found: Promise<T | null>): Promise<T> => {
  const document = await found;
  if (!document) throw new Error('The guide is gone');
  return document;
};

describe('privacy export', () => {
  test('writes all that guides hold of a person, and nothing of the others', async ({
    numbers: [sent, received],
    person,
    privacy,
    trail,
  }) => {
    const operator = randomUUID();
    const { code, out, err } = await privacy(operator, ['export', '--phone', `+52 1 ${person.phone}`]);
    expect([code, err]).toEqual([0, '']);
    const { busqueda, guias } = JSON.parse(out);
    expect(busqueda).toBe('telefono');
    expect(guias).toHaveLength(2);
    expect(guias).toContainEqual({
      guia: sent,
      fecha: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      servicio: 'Domicilio',
      origen: 'MEX01',
      destino: 'MTY01',
      estatus: 'Documentado',
      referencia: 'PEDIDO-1042',
      papel: 'remitente',
      datos: contact(person),
      producto: fullGuide().Producto,
    });
    expect(guias).toContainEqual(expect.objectContaining({ guia: received, papel: 'destinatario' }));
    for (const other of ['Luis Pérez Muñoz', 'Ana López', 'Marta Ruiz']) expect(out).not.toContain(other);

    const events = await trail.find({ user: operator }, 10);
    expect(events).toMatchObject([
      { action: 'privacy.export', subject: 'telefono', outcome: 'ok', details: { guides: 2, texts: 0 } },
      { action: 'privacy.export', subject: 'telefono', outcome: 'started' },
    ]);
    for (const personal of Object.values(person)) expect(JSON.stringify(events)).not.toContain(personal);
  });

  test('writes a new file that the operator alone reads', async ({ folder, numbers, person, privacy }) => {
    const name = `${randomUUID()}.json`;
    const args = ['export', '--email', person.email.toUpperCase(), '--output', name];
    const { code, out } = await privacy('ana', args);
    expect([code, out]).toEqual([0, `Exportadas: 2 guias, en ${join(folder, name)}\n`]);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
    const { guias } = JSON.parse(await readFile(join(folder, name), 'utf8'));
    expect(guias.map(({ guia }: { guia: string }) => guia).sort()).toEqual(numbers.toSorted());
    expect(await privacy('ana', args)).toMatchObject({
      code: 1,
      err: `No se puede leer o escribir ${join(folder, name)} (EEXIST)\n`,
    });
  });
});

describe('privacy erase', () => {
  test("anonymises the person's side of each guide after a confirmation, and leaves the other side", async ({
    guides,
    numbers: [sent = '', received = ''],
    person,
    privacy,
    trail,
  }) => {
    const operator = randomUUID();
    const name = person.name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();
    const { code, out, err } = await privacy(operator, ['erase', '--name', `  ${name} `], 'si\n');
    expect(err).toContain(
      'Se anonimizara a la persona en 2 guias, sin vuelta atras. Escriba SI para seguir: ',
    );
    expect([code, out]).toEqual([0, expect.stringContaining('Anonimizadas: 2 guias. ')]);

    expect((await one(guides.findOne({ _id: sent }))).guide).toEqual({
      ...fullGuide(),
      Remitente: { Nombre: '[anonimizado]' },
    });
    const guide = (await one(guides.findOne({ _id: received }))).guide;
    expect(guide).toEqual({
      ...fullGuide(),
      Destinatario: { Nombre: '[anonimizado]', DestinoCode: 'MTY01' },
    });
    expect(isLabelPayload({ ...label(), guide })).toBe(true);

    const events = await trail.find({ user: operator }, 10);
    expect(
      events.map(({ action, subject, outcome, details }) => [action, subject, outcome, details]),
    ).toEqual([
      ['privacy.erase', 'nombre', 'ok', { guides: 2, texts: 0 }],
      ['privacy.erase', 'nombre', 'started', {}],
    ]);
    expect(JSON.stringify(events)).not.toMatch(new RegExp(`${person.phone}|${name}`, 'i'));
    // Again, as after a crash in between: there is nothing left to do.
    expect((await privacy(operator, ['erase', '--name', name, '--yes'])).out).toContain(
      'Anonimizadas: 0 guias',
    );
  });

  test('reaches a guide that a crash has cut before it was stored: the api stores it, then it is anonymised', async ({
    api: { contextOf },
    guides,
    person,
    privacy,
    stores,
    trail,
  }) => {
    const record = { ...newRecord(), guide: { ...fullGuide(), Remitente: contact(person) } };
    const { _id: number, creation } = record;
    const openSince = new Date();
    await stores.mongo
      .collection<JournalEntry>('creations')
      .insertOne({ _id: creation, creation, openSince, records: [record] });
    const operator = randomUUID();
    const erasing = privacy(operator, ['erase', '--phone', person.phone, '--yes']);
    await expect.poll(() => trail.find({ user: operator }, 1)).toHaveLength(1); // it has begun
    await finishCut(contextOf(room).journal);
    expect((await erasing).out).toContain('Anonimizadas: 1 guias');
    expect((await one(guides.findOne({ _id: number }))).guide.Remitente).toEqual({ Nombre: '[anonimizado]' });
  });

  test.for(['', 'no\n'])(
    'changes nothing when the answer is %j',
    async (answer, { guides, numbers, person, privacy }) => {
      const { code, err } = await privacy('ana', ['erase', '--phone', person.phone], answer);
      expect(code).toBe(1);
      expect(err).toContain('Cancelado: no se borro nada');
      expect((await one(guides.findOne({ _id: numbers[0] ?? '' }))).guide.Remitente).toEqual(contact(person));
    },
  );

  test('goes through all guides, page by page', async ({ guides, numbers: [sent = ''], person, privacy }) => {
    const guide = await one(guides.findOne({ _id: sent }));
    const copies = Array.from({ length: 2_500 }, (_, i) => ({ ...guide, _id: `${200_000_000_000 + i}` }));
    await guides.insertMany(copies);
    const { out } = await privacy('ana', ['erase', '--phone', person.phone, '--yes']);
    expect(out).toContain('Anonimizadas: 2502 guias');
    expect(await guides.countDocuments({ 'guide.Remitente.Celular': person.phone })).toBe(0);
    await guides.deleteMany({ _id: { $in: copies.map(({ _id }) => _id) } });
  });
});

describe('a search', () => {
  const guide = {
    ...fullGuide(),
    Remitente: { Nombre: 'José Ñandú', Telefono: '525512345678', Email: 'A@b.mx' },
  };

  test.for<[string, Parameters<typeof parseSearch>[0], string[]]>([
    ['phone in another writing', { phone: '(55) 1234-5678' }, ['Remitente']],
    ['phone with a former prefix', { phone: '01 55 1234 5678' }, ['Remitente']],
    ['mobile phone', { phone: '044 81 9876 5432' }, ['Destinatario']],
    ['part of a phone', { phone: '12345678' }, []],
    ['e-mail', { email: ' a@B.MX' }, ['Remitente']],
    ['name without accents', { name: 'jose  nandu' }, ['Remitente']],
    ['part of a name', { name: 'José' }, []],
    ['company', { name: 'comercial del norte sa de cv' }, ['Destinatario']],
    ['author', { name: 'MARTA RUIZ' }, ['Creado_por']],
  ])('by %s', ([_, options, sections]) => {
    expect(sectionsNaming(parseSearch(options), guide)).toEqual(sections);
  });

  test.for<[string, string[], string]>([
    ['nothing', [], 'Indique --phone, --email o --name, uno solo'],
    ['few digits', ['--phone', '55-12'], '--phone debe tener al menos 7 digitos'],
    ['no e-mail', ['--email', 'ana'], '--email debe ser un correo'],
  ])('for %s is refused', async ([_, args, message], { privacy }) => {
    const { code, err } = await privacy('ana', ['erase', '--yes', ...args]);
    expect([code, err]).toEqual([2, `${message}\n`]);
  });
});
