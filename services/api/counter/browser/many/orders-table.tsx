import { useEffect, useRef, useState } from 'preact/hooks';
import { Advice } from '../ui/advice.tsx';
import { Button } from '../ui/button.tsx';
import { CellEditor } from './cell-editor.tsx';
import { checkOrders } from './check-orders.ts';
import type { CellProblem } from './checking.ts';
import type { Field } from './fields.ts';
import { correct, know, type Order, problemsOf } from './work.ts';

export type Sorting = { path: string; isDown: boolean };

/** The height of a row, in px, as `many.css` has it: only the rows that are seen are drawn. */
const ROW_PX = 56;
/** Rows that are drawn above and below those that are seen. */
const SPARE = 6;

type Place = { id: number; path: string };
type Props = {
  orders: readonly Order[];
  fields: readonly Field[];
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting | undefined) => void;
};

/** A table of thousands of rows, corrected in place. */
export function OrdersTable({ orders, fields, sorting, onSort }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState<Place>();
  const [isEditing, setEditing] = useState(false);
  const look = () => {
    const { scrollTop: top = 0, clientHeight: height = 600 } = box.current ?? {};
    setSeen({ top, height });
  };
  useEffect(() => {
    look();
    addEventListener('resize', look);
    return () => removeEventListener('resize', look);
  }, []);
  const first = Math.max(0, Math.min(Math.floor(seen.top / ROW_PX) - SPARE, orders.length - 1));
  const drawn = orders.slice(first, first + Math.ceil(seen.height / ROW_PX) + 2 * SPARE);
  // One cell is reached by Tab, and the others from there by arrows.
  const reached =
    active && orders.some(({ id }) => id === active.id) ? active : placeOf(orders[0], fields[0]);
  const activeOrder = orders.find(({ id }) => id === active?.id);
  const activeField = fields.find(({ path }) => path === active?.path);

  /** Goes to a cell, and shows it. */
  const go = (row: number, column: number, edit = false) => {
    const [order, field] = [orders[row], fields[column]];
    if (!order || !field) return;
    setActive({ id: order.id, path: field.path });
    setEditing(edit && order.state === 'open');
    const element = box.current;
    if (element) {
      const head = element.querySelector('thead')?.clientHeight ?? 0;
      const [above, below] = [row * ROW_PX, (row + 1) * ROW_PX + head - element.clientHeight];
      element.scrollTop = Math.max(Math.min(element.scrollTop, above), below);
    }
    requestAnimationFrame(() => element?.querySelector<HTMLElement>('.activa > button')?.focus());
  };
  const press = (event: KeyboardEvent) => {
    if (!reached) return;
    const [row, column] = [
      orders.findIndex(({ id }) => id === reached.id),
      fields.findIndex(({ path }) => path === reached.path),
    ];
    const steps: Record<string, readonly [number, number]> = {
      ArrowDown: [1, 0],
      ArrowUp: [-1, 0],
      ArrowRight: [0, 1],
      ArrowLeft: [0, -1],
    };
    const step = steps[event.key];
    if (step) go(row + step[0], column + step[1]);
    else if (event.key === 'Enter' || event.key === 'F2') go(row, column, true);
    else return;
    event.preventDefault();
  };
  const write = ({ id, path }: Place, text: string, step: readonly [number, number]) => {
    const [row, column] = [
      orders.findIndex((order) => order.id === id),
      fields.findIndex((field) => field.path === path),
    ];
    if (text !== (orders[row]?.cells[path] ?? '')) {
      correct(new Map([[id, { [path]: text }]]));
      void checkOrders();
    }
    setEditing(false);
    if (step[0] !== 0 || step[1] !== 0) go(row + step[0], column + step[1]);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section class="tabla" ref={box} onScroll={look} tabIndex={0} aria-label="Filas">
        <table aria-rowcount={orders.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Crear</th>
              <th scope="col">Fila</th>
              <th scope="col">Estado</th>
              {fields.map(({ path, label }) => (
                <th
                  key={path}
                  scope="col"
                  aria-sort={
                    sorting?.path === path ? (sorting.isDown ? 'descending' : 'ascending') : undefined
                  }
                >
                  <button type="button" onClick={() => onSort(nextSorting(path, sorting))}>
                    {label}
                    <span aria-hidden="true">
                      {sorting?.path === path ? (sorting.isDown ? ' ↓' : ' ↑') : ''}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <Space rows={first} />
            {drawn.map((order, i) => (
              <tr key={order.id} aria-rowindex={first + i + 2} class={order.state}>
                <td>
                  <Choice order={order} />
                </td>
                <td>{order.line}</td>
                <td class="situacion">
                  <State order={order} />
                </td>
                {fields.map((field) => {
                  const isActive = reached?.id === order.id && reached.path === field.path;
                  return (
                    <Cell
                      key={field.path}
                      {...{ order, field, isActive }}
                      isEditing={isActive && isEditing}
                      onEdit={() => go(first + i, fields.indexOf(field), true)}
                      onKeyDown={press}
                      onWrite={write}
                      onCancel={() => go(first + i, fields.indexOf(field))}
                    />
                  );
                })}
              </tr>
            ))}
            <Space rows={orders.length - first - drawn.length} />
          </tbody>
        </table>
      </section>
      {activeOrder && activeField && <CellDetail order={activeOrder} field={activeField} orders={orders} />}
    </>
  );
}

function placeOf(order: Order | undefined, field: Field | undefined): Place | undefined {
  return order && field && { id: order.id, path: field.path };
}

/** Ascending, descending, as in the file. */
function nextSorting(path: string, sorting: Sorting | undefined): Sorting | undefined {
  if (sorting?.path !== path) return { path, isDown: false };
  return sorting.isDown ? undefined : { path, isDown: true };
}

/** Stands for rows that are not drawn. */
function Space({ rows }: { rows: number }) {
  return rows > 0 ? (
    <tr class="hueco">
      <td style={{ height: `${rows * ROW_PX}px` }} />
    </tr>
  ) : null;
}

function Choice({ order: { id, line, state, isChosen } }: { order: Order }) {
  return (
    <input
      type="checkbox"
      aria-label={`Crear la fila ${line}`}
      checked={isChosen}
      disabled={state !== 'open'}
      onChange={({ currentTarget }) => know(new Map([[id, { isChosen: currentTarget.checked }]]))}
    />
  );
}

const MONEY = new Intl.NumberFormat('es-MX', { style: 'currency', currency: 'MXN' });

function State({ order }: { order: Order }) {
  const { state, guide, failure, earlier, price, content, checked, isChosen } = order;
  if (state === 'created') return <strong class="bien">{guide}</strong>;
  if (state === 'sending') return <>Creando…</>;
  if (state === 'unknown') return <span class="atencion">Sin respuesta: al continuar se sabrá</span>;
  if (failure !== undefined)
    return (
      <span class="mal" title={failure}>
        {failure}
      </span>
    );
  const problems = problemsOf(order);
  const ofRow = problems.find(({ path }) => path === undefined);
  if (ofRow)
    return (
      <span class="mal" title={ofRow.message}>
        {ofRow.message}
      </span>
    );
  if (earlier?.live !== undefined) {
    return (
      <span class="atencion">
        {isChosen ? `Otra, además de ${earlier.live}` : `Ya hay una: ${earlier.live}. ¿Otra?`}
      </span>
    );
  }
  if (problems.length > 0)
    return <span class="mal">{problems.length === 1 ? 'Un problema' : `${problems.length} problemas`}</span>;
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

type CellProps = {
  order: Order;
  field: Field;
  isActive: boolean;
  isEditing: boolean;
  onEdit: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onWrite: (place: Place, text: string, step: readonly [number, number]) => void;
  onCancel: () => void;
};

function Cell({
  order,
  field: { path, label },
  isActive,
  isEditing,
  onEdit,
  onKeyDown,
  onWrite,
  onCancel,
}: CellProps) {
  const { problem, warning } = notesOn(order, path);
  const note = problem ?? warning;
  const text = order.cells[path] ?? '';
  const className = [isActive && 'activa', problem ? 'mal' : warning && 'atencion'].filter(Boolean).join(' ');
  return (
    <td class={className || undefined}>
      {isEditing ? (
        <CellEditor
          {...{ order, path, label }}
          onWrite={(text, step) => onWrite({ id: order.id, path }, text, step)}
          onCancel={onCancel}
        />
      ) : (
        <button
          type="button"
          tabIndex={isActive ? 0 : -1}
          aria-label={text === '' && !note ? `${label}: vacía` : undefined}
          onClick={onEdit}
          onKeyDown={onKeyDown}
        >
          <span>{text}</span>
          {note && (
            <small class={problem ? 'mal' : 'atencion'} title={note.message}>
              {note.message}
            </small>
          )}
        </button>
      )}
    </td>
  );
}

function notesOn(
  order: Order,
  path: string,
): { problem?: CellProblem | undefined; warning?: CellProblem | undefined } {
  if (order.state === 'created') return {};
  return {
    problem: problemsOf(order).find((each) => each.path === path),
    warning: order.checked === order.content ? order.warnings.find((each) => each.path === path) : undefined,
  };
}

/** All about the cell where the person is: what is wrong, what to do, and what to do with the cells below. */
function CellDetail({
  order,
  field: { path, label },
  orders,
}: {
  order: Order;
  field: Field;
  orders: readonly Order[];
}) {
  const { problem, warning } = notesOn(order, path);
  const note = problem ?? warning;
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
        {note && <span class={problem ? 'mal' : 'atencion'}> {note.message}.</span>}
        {note?.codigo !== undefined && (
          <>
            {' '}
            <Advice codigo={note.codigo} />
          </>
        )}
      </p>
      <p class="botones">
        {proposal !== undefined && <Button onClick={() => fill([order], proposal)}>Poner {proposal}</Button>}
        {text !== '' && empty.length > 0 && (
          <Button quiet onClick={() => fill(empty)}>
            Copiar a las {empty.length} vacías de abajo
          </Button>
        )}
        {below.length > 0 && (
          <Button quiet onClick={() => fill(below)}>
            Copiar a las {below.length} de abajo
          </Button>
        )}
      </p>
    </section>
  );
}
