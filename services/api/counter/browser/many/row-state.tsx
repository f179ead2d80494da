import { fieldAt } from './fields.ts';
import { type Order, problemsOf } from './work.ts';

const MONEY = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });
/** Most columns with problems that a row names; the title has all. */
const NAMED = 3;

/** What has become of a row, or what keeps it from being created. */
export function RowState({ order }: { order: Order }) {
  const { state, guide, failure, earlier, same, price, content, checked, isChosen } = order;
  if (state === 'created') return <strong class="bien">{guide}</strong>;
  if (state === 'sending') return <>Creando…</>;
  if (state === 'unknown') return <span class="atencion">Sin respuesta: al continuar se sabrá</span>;
  const problems = problemsOf(order);
  if (failure !== undefined || problems.length > 0) {
    return (
      <span class="mal" title={[failure ?? [], problems.map(({ message }) => message)].flat().join('\n')}>
        {whatIsWrong(order)}
      </span>
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
  if (price?.content === content) {
    return price.total === undefined ? (
      <span class="atencion" title={price.none}>
        Sin precio
      </span>
    ) : (
      MONEY.format(price.total)
    );
  }
  return <>Lista</>;
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
