import { Advice } from '../ui/advice.tsx';
import { besideField } from '../ui/api-words.ts';
import { Button } from '../ui/button.tsx';
import { checkOrders } from './check-orders.ts';
import type { CellProblem } from './checking.ts';
import type { Field } from './fields.ts';
import { notesOn } from './problems.ts';
import { correct, type Order, problemsOf } from './work.ts';

/** All about the cell where the person is: what is wrong, what to do, and what to do with the cells below. */
export function CellDetail(props: { order: Order; field: Field; orders: readonly Order[] }) {
  const { order, field, orders } = props;
  const { path, label } = field;
  const { problems, warnings } = notesOn(order, path);
  const ofRow = order.state === 'open' ? problemsOf(order).filter((each) => each.path === undefined) : [];
  const proposal = order.proposals.get(path);
  const text = order.cells[path] ?? '';
  const below = orders.slice(orders.indexOf(order) + 1).filter(({ state }) => state === 'open');
  const empty = below.filter(({ cells }) => (cells[path] ?? '') === '');
  const fill = (some: readonly Order[], value = text) => {
    correct(new Map(some.map(({ id }) => [id, { [path]: value }])));
    void checkOrders();
  };
  return (
    <section class="detalle" aria-label="Celda">
      <p>
        <strong>
          Fila {order.line}, {label}
        </strong>
      </p>
      {[...ofRow, ...problems].map((note) => (
        <Note key={note.message} note={note} kind="mal" />
      ))}
      {warnings.map((note) => (
        <Note key={note.message} note={note} kind="atencion" />
      ))}
      <p class="botones">
        {proposal !== undefined && <Button onClick={() => fill([order], proposal)}>Poner {proposal}</Button>}
        {text !== '' && empty.length > 0 && (
          <Button quiet onClick={() => fill(empty)}>
            Copiar a las vacías de abajo ({empty.length})
          </Button>
        )}
        {below.length > 0 && (
          <Button quiet onClick={() => fill(below)}>
            Copiar a todas las de abajo ({below.length})
          </Button>
        )}
      </p>
    </section>
  );
}

function Note({ note: { path, message, codigo }, kind }: { note: CellProblem; kind: 'mal' | 'atencion' }) {
  return (
    <p>
      <span class={kind}>{path === undefined ? message : besideField(message)}</span>{' '}
      {codigo !== undefined && <Advice codigo={codigo} />}
    </p>
  );
}
