import { pesos } from '../ui/words.ts';
import type { CellProblem } from './checking.ts';
import { fieldAt } from './fields.ts';
import { warningsOf } from './problems.ts';
import { type Order, problemsOf } from './work.ts';

/** Most columns with problems that a row names; the title has all. */
const NAMED = 3;

/** What has become of a row, or what keeps it from being created, which leads there. */
export function RowState({ order, onProblem }: { order: Order; onProblem: () => void }) {
  const { state, guide, failure, earlier, same, price, content, checked, isChosen } = order;
  if (state === 'created') return <strong class="bien">{guide}</strong>;
  if (state === 'sending') return <>Creando…</>;
  if (state === 'unknown') return <span class="atencion">Sin respuesta: al continuar se sabrá</span>;
  const problems = problemsOf(order);
  if (failure !== undefined || problems.length > 0) {
    return (
      <button
        type="button"
        tabIndex={-1}
        onClick={onProblem}
        title={[failure ?? [], problems.map(({ message }) => message)].flat().join('\n')}
      >
        <span class="mal">{whatIsWrong(order)}</span>
      </button>
    );
  }
  if (earlier?.live !== undefined) {
    return (
      <span class="atencion">
        {isChosen ? `Otra, además de ${earlier.live}` : `Ya hay una: ${earlier.live}. ¿Otra?`}
      </span>
    );
  }
  if (same?.isWhole) {
    return (
      <span class="atencion">
        {isChosen ? `Otra, igual a la fila ${same.line}` : `Igual a la fila ${same.line}. ¿Otra?`}
      </span>
    );
  }
  if (checked !== content) return <>Revisando…</>;
  const warnings = warningsOf(order);
  const said =
    price?.content !== content ? 'Lista' : price.total === undefined ? 'Sin precio' : pesos(price.total);
  const titles = [said === 'Sin precio' ? (price?.none ?? []) : [], warnings.map(({ message }) => message)];
  return (
    <span class={said === 'Sin precio' ? 'atencion' : undefined} title={titles.flat().join('\n')}>
      {said}
      {warnings.length > 0 && <small class="atencion">{whereToLook(warnings)}</small>}
    </span>
  );
}

/** Names the columns of notices, which may be out of sight, and says what is about the whole row. */
function whereToLook(warnings: readonly CellProblem[]): string {
  const places = warnings.map(({ path, message }) => (path === undefined ? message : labelOf(path)));
  return `Revise: ${[...new Set(places)].join(', ')}`;
}

/** Names the columns to correct, wherever they are, after what is about the whole row. */
function whatIsWrong(order: Order): string {
  const problems = problemsOf(order);
  const ofRow = order.failure ?? problems.find(({ path }) => path === undefined)?.message;
  const labels = [...new Set(problems.flatMap(({ path }) => (path === undefined ? [] : labelOf(path))))];
  const more = labels.length - NAMED;
  const named = labels.slice(0, NAMED).join(', ') + (more > 0 ? ` y ${more} más` : '');
  return [ofRow ?? [], named === '' ? [] : `Corregir: ${named}`].flat().join('. ');
}

function labelOf(path: string): string {
  return fieldAt(path)?.label ?? path;
}
