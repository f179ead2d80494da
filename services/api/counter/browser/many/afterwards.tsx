import { useEffect, useState } from 'preact/hooks';
import { KINDS, LABEL_KINDS, MAX_FILE_PAGES } from '#shared/labels/label-kinds.ts';
import { ask, askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { keep, readKept } from '../kept/kept.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { Message, ProblemMessage } from '../ui/message.tsx';
import { download, nameBeside } from './download.ts';
import { keyOf } from './request.ts';
import { resultTable } from './saved.ts';
import { type Order, problemsOf, type Work } from './work.ts';

/** What a printer takes: the kinds of label as PDF, and for label printers as ZPL. */
const PRINTERS = LABEL_KINDS.flatMap((kind) => {
  const { path, summary, pagePerPackage } = KINDS[kind];
  const [name = summary] = summary.split(',');
  const pdf = { label: path, format: 'pdf', name: `${name}, PDF` };
  return pagePerPackage ? [pdf, { label: path, format: 'zpl', name: `${name}, ZPL` }] : [pdf];
});
type Printer = (typeof PRINTERS)[number];
/** Times that a file of labels is asked for: what is printed by then is not printed again. */
const TRIES = 4;

/** The labels, the manifest and the results of what was created. */
export function Afterwards({ work }: { work: Work }) {
  const created = work.orders.filter(({ state }) => state === 'created');
  const numbers = created.map(({ guide = '' }) => guide);
  const [problem, setProblem] = useState<Problem>();
  const [busy, setBusy] = useState<string>();
  const run = (what: string, action: () => Promise<Problem | undefined>) => async () => {
    if (busy !== undefined) return;
    setBusy(what);
    setProblem(await action());
    setBusy(undefined);
  };
  const [printer, setPrinter] = usePrinter();
  return (
    <section class="despues" aria-label="Después de crear">
      <h2>{created.length === 1 ? 'Una guía creada' : `${created.length} guías creadas`}</h2>
      {problem && <ProblemMessage problem={problem} />}
      {busy !== undefined && <Message kind="good">{busy}…</Message>}
      <p class="botones">
        <label>
          Impresora{' '}
          <select
            value={PRINTERS.indexOf(printer)}
            onChange={({ currentTarget }) => setPrinter(PRINTERS[Number(currentTarget.value)] ?? printer)}
          >
            {PRINTERS.map(({ name }, i) => (
              <option key={name} value={i}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <Button
          onClick={run('Imprimiendo las etiquetas', () => saveLabels(work, created, printer))}
          busy={busy !== undefined}
        >
          Bajar las etiquetas
        </Button>
      </p>
      <p class="botones">
        <Button quiet onClick={() => void saveResults(work, 'xlsx')}>
          Resultado en Excel
        </Button>
        <Button quiet onClick={() => void saveResults(work, 'csv')}>
          Resultado en CSV
        </Button>
        <Button
          quiet
          onClick={run('Haciendo el manifiesto', () => saveManifests(numbers))}
          busy={busy !== undefined}
        >
          Manifiesto de estas guías
        </Button>
        <a href={addressOf('enviado', 'recolecciones')}>Pedir que pasen por ellas</a>
      </p>
    </section>
  );
}

function usePrinter(): [Printer, (printer: Printer) => void] {
  const [printer, setPrinter] = useState<Printer>(PRINTERS[0] as Printer);
  const username = session.get()?.username ?? '';
  useEffect(() => {
    void readKept(username, 'printer').then((kept) => {
      const known = PRINTERS.find(({ label, format }) => label === kept?.label && format === kept.format);
      if (known) setPrinter(known);
    });
  }, []);
  return [
    printer,
    (chosen) => {
      setPrinter(chosen);
      void keep(username, 'printer', { label: chosen.label, format: chosen.format });
    },
  ];
}

/** Saves the labels as one file, or as several where there are more pages than a file may have. */
async function saveLabels(
  { name }: Work,
  orders: readonly Order[],
  { label, format }: Printer,
): Promise<Problem | undefined> {
  const kind = LABEL_KINDS.find((each) => KINDS[each].path === label) ?? 'letter';
  const { tipo, pagePerPackage } = KINDS[kind];
  const pieces = piecesOf(orders, (order) =>
    pagePerPackage ? Number(order.cells['Producto.Paquetes'] ?? 1) || 1 : 1,
  );
  for (const [i, numbers] of pieces.entries()) {
    const answer = await askForLabels({ Guias: numbers, Tipo: tipo }, format);
    if (!answer.ok) return answer.problem;
    download(nameBeside(name, pieces.length === 1 ? 'etiquetas' : `etiquetas-${i + 1}`, format), answer.data);
  }
  return undefined;
}

async function askForLabels(
  body: { Guias: string[]; Tipo: string },
  format: string,
  tries = TRIES,
): ReturnType<typeof askBlob> {
  const answer = await askBlob({
    method: 'POST',
    path: '/api/guias/etiquetas',
    query: { formato: format },
    body,
  });
  if (answer.ok || tries === 1 || !['etiqueta_tardia', 'sin_conexion'].includes(answer.problem.codigo))
    return answer;
  return askForLabels(body, format, tries - 1);
}

function piecesOf(orders: readonly Order[], pages: (order: Order) => number): string[][] {
  const pieces: string[][] = [];
  let left = 0;
  for (const order of orders) {
    left -= pages(order);
    if (left < 0 || pieces.length === 0) {
      pieces.push([]);
      left = MAX_FILE_PAGES - pages(order);
    }
    pieces.at(-1)?.push(order.guide ?? '');
  }
  return pieces;
}

async function saveResults({ name, orders, others }: Work, ending: 'xlsx' | 'csv'): Promise<void> {
  const { CSV_TYPE, writeCsv, writeXlsx, XLSX_TYPE } = await import('./tables.ts');
  const rows = orders.map((order) => {
    const { guide, total = order.price?.total, state, failure, earlier, isChosen } = order;
    if (state === 'created')
      return {
        ...order,
        outcome: { ...(guide !== undefined && { guide }), ...(total !== undefined && { total }) },
      };
    const known = earlier?.live !== undefined && !isChosen ? `Ya había una: ${earlier.live}` : undefined;
    const problem =
      failure ??
      known ??
      (problemsOf(order)
        .map(({ message }) => message)
        .join('; ') ||
        (isChosen ? 'No creada' : 'Sin marcar'));
    return { ...order, outcome: { problem } };
  });
  const table = resultTable(rows, others);
  const file = nameBeside(name, 'resultado', ending);
  if (ending === 'xlsx') download(file, writeXlsx(table), XLSX_TYPE);
  else download(file, writeCsv(table), CSV_TYPE);
}

/** Most guides of a manifest. */
const MAX_IN_MANIFEST = 1_000;

/** Makes the manifest of these guides, once, and saves it for signatures. */
async function saveManifests(numbers: readonly string[]): Promise<Problem | undefined> {
  for (let i = 0; i < numbers.length; i += MAX_IN_MANIFEST) {
    const some = numbers.slice(i, i + MAX_IN_MANIFEST);
    const key = await keyOf(location.origin, JSON.stringify(['manifiesto', some]), 0);
    const made = await ask<{ Manifiesto: string }>({
      method: 'POST',
      path: '/api/manifiestos',
      body: { Guias: some },
      key,
    });
    if (!made.ok) return made.problem;
    const number = made.data.Manifiesto;
    const file = await askBlob({
      method: 'GET',
      path: `/api/manifiestos/${number}/pdf`,
      accept: 'application/pdf',
    });
    if (!file.ok) return file.problem;
    download(`manifiesto-${number}.pdf`, file.data);
  }
  return undefined;
}
