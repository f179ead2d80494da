import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { besideField } from '../ui/api-words.ts';
import { CellDetail } from './cell-detail.tsx';
import { CellEditor, type Step } from './cell-editor.tsx';
import { checkOrders } from './check-orders.ts';
import type { Field } from './fields.ts';
import { nextProblem, notesOn, type Place } from './problems.ts';
import { ProblemsBar } from './problems-bar.tsx';
import { RowState } from './row-state.tsx';
import { correct, know, type Order } from './work.ts';

export type Sorting = { path: string; isDown: boolean };

/** The height of a row, in px, as `many.css` has it: only the rows that are seen are drawn. */
const ROW_PX = 40;
/** Rows that are drawn above and below those that are seen. */
const SPARE = 6;

type Props = {
  /** The column that was added last. */
  added: string | undefined;
  /** All, of which `shown` passes a filter. */
  orders: readonly Order[];
  shown: readonly Order[];
  fields: readonly Field[];
  sorting: Sorting | undefined;
  onSort: (sorting: Sorting | undefined) => void;
  onShowWrong: () => void;
};

/** A table of thousands of rows, corrected in place. */
export function OrdersTable({ added, orders, shown, fields, sorting, onSort, onShowWrong }: Props) {
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
  const at = shown.findIndex(({ id }) => id === active?.id);
  const activeOrder = shown[at];
  const activeField = fields.find(({ path }) => path === active?.path);
  // One cell is reached by Tab, and the others from there by arrows.
  const reached = activeOrder ? active : placeOf(shown[0], fields[0]);

  // Shows the cell that somebody goes to.
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || at < 0) return;
    const head = element.querySelector('thead')?.clientHeight ?? 0;
    const [above, below] = [at * ROW_PX, (at + 1) * ROW_PX + head - element.clientHeight];
    element.scrollTop = Math.max(Math.min(element.scrollTop, above), below);
    element.querySelector<HTMLElement>('.activa > *')?.focus();
  }, [active]);

  useEffect(() => {
    const field = fields.find(({ path }) => path === added);
    if (field) goTo(placeOf(activeOrder ?? shown[0], field));
  }, [added]);

  const goTo = (place: Place | undefined, edit = false) => {
    const order = orders.find(({ id }) => id === place?.id);
    if (!order) return;
    setActive(place);
    setEditing(edit && order.state === 'open');
  };
  const go = (row: number, column: number, edit = false) =>
    goTo(placeOf(shown[within(row, shown)], fields[within(column, fields)]), edit);
  const goToProblem = (path?: string) => {
    const place = nextProblem(shown, fields, active, path);
    const hidden = place ? undefined : nextProblem(orders, fields, active, path);
    if (hidden) onShowWrong();
    goTo(place ?? hidden, true);
  };
  const press = (event: KeyboardEvent) => {
    if (!reached) return;
    const [row, column] = [
      shown.findIndex(({ id }) => id === reached.id),
      fields.findIndex(({ path }) => path === reached.path),
    ];
    const steps: Record<string, Step> = {
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
  /** @param step where the person goes on, if the cell was left by them. */
  const write = ({ id, path }: Place, text: string, step?: Step) => {
    const [row, column] = [
      shown.findIndex((order) => order.id === id),
      fields.findIndex((field) => field.path === path),
    ];
    if (text !== (shown[row]?.cells[path] ?? '')) {
      correct(new Map([[id, { [path]: text }]]));
      void checkOrders();
    }
    if (!step) return;
    setEditing(false);
    if (step[0] !== 0 || step[1] !== 0) go(row + step[0], column + step[1]);
  };
  const drawn = drawnRows(shown.length, seen, at);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key stands for the button in it
    <div
      onKeyDown={(event) => {
        if (event.key !== 'F8') return;
        event.preventDefault();
        goToProblem();
      }}
    >
      <ProblemsBar orders={orders} onNext={goToProblem} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section class="tabla" ref={box} onScroll={look} tabIndex={0} aria-label="Filas">
        <table aria-rowcount={shown.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">
                <ChooseAll orders={shown} />
              </th>
              <th scope="col">Fila</th>
              <th scope="col">Situación</th>
              {fields.map(({ path, label }) => (
                <th
                  key={path}
                  scope="col"
                  data-campo={path}
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
            {drawn.flatMap((row, i) => {
              const order = shown[row] as Order;
              const left = row - (drawn[i - 1] ?? -1) - 1;
              return [
                left > 0 && <Space key={i === 0 ? 'above' : 'between'} rows={left} />,
                <tr key={order.id} aria-rowindex={row + 2} class={order.state}>
                  <td>
                    <Choice order={order} />
                  </td>
                  <td>{order.line}</td>
                  <td class="situacion">
                    <RowState
                      order={order}
                      onProblem={() => goTo(nextProblem([order], fields, undefined), true)}
                    />
                  </td>
                  {fields.map((field, column) => {
                    const isActive = reached?.id === order.id && reached.path === field.path;
                    return (
                      <Cell
                        key={field.path}
                        {...{ order, field, isActive }}
                        isEditing={isActive && isEditing && reached === active}
                        onEdit={() => go(row, column, true)}
                        onKeyDown={press}
                        onWrite={write}
                        onCancel={() => go(row, column)}
                      />
                    );
                  })}
                </tr>,
              ];
            })}
            <Space rows={shown.length - (drawn.at(-1) ?? -1) - 1} />
          </tbody>
        </table>
      </section>
      {activeOrder && activeField && <CellDetail order={activeOrder} field={activeField} orders={shown} />}
    </div>
  );
}

/** Returns the rows that are drawn: those that are seen, and the one where somebody writes, which keeps its text and the focus. */
function drawnRows(count: number, seen: { top: number; height: number }, active: number): number[] {
  const first = Math.max(0, Math.min(Math.floor(seen.top / ROW_PX) - SPARE, count - 1));
  const end = Math.min(first + Math.ceil(seen.height / ROW_PX) + 2 * SPARE, count);
  const rows = Array.from({ length: end - first }, (_, i) => first + i);
  if (active >= end) rows.push(active);
  else if (active >= 0 && active < first) rows.unshift(active);
  return rows;
}

/** The nearest place of a list: beyond its end one stays at the last. */
function within(at: number, list: readonly unknown[]): number {
  return Math.max(0, Math.min(at, list.length - 1));
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

/** Chooses all rows that are shown. One that has a guide already, or is another one again, is chosen by itself alone. */
function ChooseAll({ orders }: { orders: readonly Order[] }) {
  const open = useMemo(() => orders.filter(({ state }) => state === 'open'), [orders]);
  const fresh = open.filter(({ earlier, same }) => earlier?.live === undefined && !same?.isWhole);
  const chosen = fresh.filter(({ isChosen }) => isChosen).length;
  const choose = (some: readonly Order[], isChosen: boolean) =>
    know(new Map(some.map(({ id }) => [id, { isChosen }])));
  return (
    <label title="Marca o desmarca las filas que se muestran. La que ya tiene guía, o es igual a otra, se marca aparte.">
      <input
        type="checkbox"
        checked={chosen > 0 && chosen === fresh.length}
        indeterminate={chosen > 0 && chosen < fresh.length}
        disabled={fresh.length === 0}
        onChange={({ currentTarget }) => (currentTarget.checked ? choose(fresh, true) : choose(open, false))}
      />{' '}
      Crear
    </label>
  );
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

type CellProps = {
  order: Order;
  field: Field;
  isActive: boolean;
  isEditing: boolean;
  onEdit: () => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onWrite: (place: Place, text: string, step?: Step) => void;
  onCancel: () => void;
};

function Cell(props: CellProps) {
  const { order, field, isActive, isEditing, onEdit, onKeyDown, onWrite, onCancel } = props;
  const { path, label } = field;
  const { problems, warnings } = notesOn(order, path);
  const kind = problems.length > 0 ? 'mal' : warnings.length > 0 ? 'atencion' : undefined;
  const notes = [...problems, ...warnings].map(({ message }) => besideField(message)).join(' · ');
  const text = order.cells[path] ?? '';
  const className = [isActive && 'activa', kind].filter(Boolean).join(' ');
  return (
    <td class={className || undefined} data-campo={path}>
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
          aria-label={text === '' && !kind ? `${label}: vacía` : undefined}
          onClick={onEdit}
          onKeyDown={onKeyDown}
        >
          <span>{text}</span>
          {kind && (
            <small class={kind} title={notes}>
              {notes}
            </small>
          )}
        </button>
      )}
    </td>
  );
}
