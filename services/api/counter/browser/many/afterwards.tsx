import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import { keyOf } from '../api/key-of.ts';
import type { Problem } from '../api/problem.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/file-shown.tsx';
import { ProblemMessage } from '../ui/message.tsx';
import { PrintLabels } from '../ui/print-labels.tsx';
import { useStore } from '../ui/use-store.ts';
import { creating } from './create-orders.ts';
import { nameBeside, type Outcome, resultTable } from './saved.ts';
import { type Order, problemsOf, type Work } from './work.ts';

/** Most guides of a manifest. */
const MAX_IN_MANIFEST = 500;

/** The labels, the results and the manifest of what was created. */
export function Afterwards({ work }: { work: Work }) {
  const numbers = work.orders.flatMap(({ state, guide }) => (state === 'created' && guide ? [guide] : []));
  const isRunning = useStore(creating)?.isRunning;
  const countOf = (each: Order['state']) => work.orders.filter(({ state }) => state === each).length;
  const [left, unknown] = [countOf('open'), countOf('unknown')];
  const [manifests, setManifests] = useState<string[]>([]);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const makeManifests = async () => {
    setBusy(true);
    setProblem(undefined);
    const made: string[] = [];
    for (let i = 0; i < numbers.length; i += MAX_IN_MANIFEST) {
      const answer = await makeManifest(numbers.slice(i, i + MAX_IN_MANIFEST));
      if (answer.ok) made.push(answer.data.Manifiesto);
      else setProblem(answer.problem);
    }
    setManifests(made);
    setBusy(false);
  };
  return (
    <section class="despues" aria-label="Después de crear">
      <h2>{numbers.length === 1 ? 'Una guía creada' : `${numbers.length} guías creadas`}</h2>
      {!isRunning && left > 0 && (
        <p>
          {left === 1 ? 'Una fila no se creó' : `${left} filas no se crearon`}: el resultado dice por qué.
        </p>
      )}
      {!isRunning && unknown > 0 && (
        <p>
          {unknown === 1 ? 'Una fila está' : `${unknown} filas están`} sin respuesta: continúe para saberlo.
        </p>
      )}
      <PrintLabels guides={numbers} />
      {problem && <ProblemMessage problem={problem} />}
      <p class="botones">
        <Button quiet onClick={() => void saveResults(work, 'xlsx')}>
          Resultado en Excel
        </Button>
        <Button quiet onClick={() => void saveResults(work, 'csv')}>
          Resultado en CSV
        </Button>
        <Button quiet onClick={() => void makeManifests()} busy={isBusy}>
          Hacer el manifiesto de estas guías
        </Button>
      </p>
      {manifests.map((number) => (
        <p key={number} role="status">
          <a href={addressOf('enviado', 'manifiestos', number)}>Manifiesto {number}</a>: imprímalo, y pida ahí
          que pasen por los paquetes.
        </p>
      ))}
    </section>
  );
}

/** The same guides are the same request: a second one answers the same manifest. */
async function makeManifest(numbers: readonly string[]) {
  const key = await keyOf(location.origin, 'manifiesto', numbers);
  return ask<{ Manifiesto: string }>({
    method: 'POST',
    path: '/api/manifiestos',
    body: { Guias: numbers },
    key,
  });
}

async function saveResults(
  { source: { name, sheet, mapping }, orders }: Work,
  ending: 'xlsx' | 'csv',
): Promise<void> {
  const { asCsv, asXlsx } = await import('./tables.ts');
  const rows = orders.map((order) => ({ ...order, outcome: outcomeOf(order) }));
  const table = resultTable(rows, { headings: sheet.headings, mapping });
  saveFile({
    blob: ending === 'xlsx' ? asXlsx(table) : asCsv(table),
    name: nameBeside(name, 'resultado', ending),
  });
}

function outcomeOf(order: Order): Outcome {
  const { state, guide, total = order.price?.total, failure, earlier, same, isChosen } = order;
  if (state === 'created') return { ...(guide && { guide }), ...(total !== undefined && { total }) };
  if (state !== 'open') return { problem: 'Sin respuesta: continúe para saberlo' };
  if (earlier?.live !== undefined && !isChosen) return { problem: `Ya había una: ${earlier.live}` };
  if (same?.isWhole && !isChosen) return { problem: `Igual a la fila ${same.line}` };
  const [problem = isChosen ? 'No se creó' : 'Sin marcar'] = problemsOf(order).map(({ message }) => message);
  return { problem: failure ?? problem };
}
