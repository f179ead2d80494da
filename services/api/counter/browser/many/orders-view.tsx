import { useMemo, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { may } from '../sent/may.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { saveFile } from '../ui/file-shown.tsx';
import { Message, ProblemMessage } from '../ui/message.tsx';
import { Progress } from '../ui/progress.tsx';
import { createStore } from '../ui/store.ts';
import { useStore } from '../ui/use-store.ts';
import { pesos } from '../ui/words.ts';
import { Afterwards } from './afterwards.tsx';
import { checking, checkOrders } from './check-orders.ts';
import { createOrders, creating, stopCreating } from './create-orders.ts';
import { findEarlier } from './earlier-guides.ts';
import { FIELDS } from './fields.ts';
import { OrdersTable, type Sorting } from './orders-table.tsx';
import { isWrong, warningsOf } from './problems.ts';
import { countOfRows } from './rows.ts';
import { correctedTable, nameBeside } from './saved.ts';
import { addColumn, correct, work as current, isWaiting, type Order, problemsOf, type Work } from './work.ts';

const FILTERS = {
  todas: { label: 'Todas', shows: () => true },
  mal: { label: 'Con problemas', shows: isWrong },
  atencion: {
    label: 'Con avisos',
    shows: (order: Order) =>
      warningsOf(order).length > 0 || order.same !== undefined || order.earlier?.live !== undefined,
  },
  esperan: { label: 'Por crear', shows: isWaiting },
  fuera: { label: 'Sin marcar', shows: ({ isChosen, state }: Order) => !isChosen && state === 'open' },
  sinPrecio: { label: 'Sin precio', shows: isUnpriced },
  creadas: { label: 'Creadas', shows: ({ state }: Order) => state === 'created' },
} as const;
type Filter = keyof typeof FILTERS;

function isUnpriced(order: Order): boolean {
  return may('guias.quote') && isWaiting(order) && priceOf(order) === undefined;
}

function priceOf({ price, content }: Order): number | undefined {
  return price?.content === content ? price.total : undefined;
}

/** The rows of a file, until their labels are printed. */
export function OrdersView(props: { work: Work; onColumns: () => void; onEnd: () => void }) {
  const { work, onColumns, onEnd } = props;
  const { orders, columns, source } = work;
  const checked = useStore(checking);
  const isBusy = [useStore(looking), useStore(creating)?.isRunning].includes(true);
  const [filter, setFilter] = useState<Filter>('todas');
  const [sorting, setSorting] = useState<Sorting>();
  const [added, setAdded] = useState<string>();
  const [isLeaving, setLeaving] = useState(false);
  const shown = useMemo(
    () => sorted(orders.filter(FILTERS[filter].shows), sorting),
    [orders, filter, sorting],
  );
  const noted = useMemo(
    () =>
      new Set(
        orders.flatMap((order) => [...problemsOf(order), ...warningsOf(order)].map(({ path }) => path)),
      ),
    [orders],
  );
  const fields = FIELDS.filter(({ path }) => columns.includes(path) || noted.has(path));
  const counts = useMemo(
    () => Object.values(FILTERS).map(({ shows }) => orders.filter(shows).length),
    [orders],
  );
  const wrong = orders.filter(isWrong).length;
  const unchecked = orders.filter(
    ({ state, checked, content }) => state === 'open' && checked !== content,
  ).length;
  const hasCreated = orders.some(({ state }) => state === 'created');
  return (
    <>
      <h2>{source.name}</h2>
      <p role="status">
        {countOfRows(orders.length)}{' '}
        {checked.isRunning || (unchecked > 0 && !checked.problem)
          ? 'Revisando…'
          : unchecked > 0
            ? `${unchecked} sin revisar.`
            : wrong === 0
              ? 'Ninguna tiene problemas.'
              : `${wrong} con problemas.`}
      </p>
      {checked.problem && <ProblemMessage problem={checked.problem} />}
      {checked.problem && <Button onClick={() => void checkOrders()}>Revisar otra vez</Button>}
      <Proposals orders={orders} />
      <Creation orders={orders} />
      {hasCreated && <Afterwards work={work} />}
      <div class="barra">
        <label>
          Mostrar{' '}
          <select value={filter} onChange={({ currentTarget }) => setFilter(currentTarget.value as Filter)}>
            {Object.entries(FILTERS).map(
              ([key, { label }], i) =>
                (counts[i] || key === 'todas' || key === filter) && (
                  <option key={key} value={key}>
                    {label} ({counts[i]})
                  </option>
                ),
            )}
          </select>
        </label>
        <label>
          Agregar columna{' '}
          <select
            value=""
            onChange={({ currentTarget }) => {
              addColumn(currentTarget.value);
              setAdded(currentTarget.value);
            }}
          >
            <option value="">…</option>
            {FIELDS.filter((field) => !fields.includes(field)).map(({ path, label }) => (
              <option key={path} value={path}>
                {label}
              </option>
            ))}
          </select>
        </label>
        {/* What is sent stays as it is. */}
        {orders.every(({ state }) => state === 'open') && (
          <Button quiet onClick={onColumns} busy={isBusy}>
            Columnas y remitente
          </Button>
        )}
        <Button quiet onClick={() => void saveCorrected(work)}>
          Guardar archivo corregido
        </Button>
        <Button quiet onClick={() => (work.isChanged ? setLeaving(true) : onEnd())} busy={isBusy}>
          Otro archivo
        </Button>
      </div>
      <OrdersTable
        {...{ added, orders, shown, fields, sorting }}
        onSort={setSorting}
        onShowWrong={() => setFilter('mal')}
      />
      {isLeaving && (
        <Dialog title="Hay correcciones sin guardar" onClose={() => setLeaving(false)}>
          <p>Si elige otro archivo, se pierden.</p>
          <p class="botones">
            <Button onClick={() => void saveCorrected(work).then(onEnd)}>Guardar archivo corregido</Button>
            <Button quiet onClick={onEnd}>
              Seguir sin guardar
            </Button>
            <Button quiet onClick={() => setLeaving(false)}>
              Volver
            </Button>
          </p>
        </Dialog>
      )}
    </>
  );
}

async function saveCorrected({ source: { name, sheet, mapping }, orders }: Work): Promise<void> {
  const { asXlsx } = await import('./tables.ts');
  saveFile({
    blob: asXlsx(correctedTable(orders, { headings: sheet.headings, mapping })),
    name: nameBeside(name, 'corregido', 'xlsx'),
  });
  const now = current.get();
  if (now) current.set({ ...now, isChanged: false });
}

function sorted(orders: Order[], sorting: Sorting | undefined): Order[] {
  if (!sorting) return orders;
  const { path, isDown } = sorting;
  const { compare } = new Intl.Collator('es', { numeric: true });
  const textOf = ({ cells }: Order) => cells[path] ?? '';
  return orders.toSorted((one, other) => compare(textOf(one), textOf(other)) * (isDown ? -1 : 1));
}

/** Offers for all cells at once what a spreadsheet has taken from them. */
function Proposals({ orders }: { orders: readonly Order[] }) {
  const proposed = orders.filter(({ proposals, state }) => state === 'open' && proposals.size > 0);
  const [first] = proposed;
  if (!first) return null;
  const [[path, proposal] = ['', '']] = first.proposals;
  const accept = () => {
    correct(new Map(proposed.map(({ id, proposals }) => [id, Object.fromEntries(proposals)])));
    void checkOrders();
  };
  return (
    <div class="propuesta">
      <Message kind="warning">
        {proposed.length === 1 ? 'Un código postal perdió' : `${proposed.length} códigos postales perdieron`}{' '}
        el cero del principio, como {first.cells[path]}, que sería {proposal}.
      </Message>
      <Button onClick={accept}>Poner el cero</Button>
    </div>
  );
}

/** Whether the account's guides are read, before rows are created. */
const looking = createStore(false);

/** What it costs, and the creation itself. */
function Creation({ orders }: { orders: readonly Order[] }) {
  const state = useStore(creating);
  const checked = useStore(checking);
  const [notice, setNotice] = useState<{ problem?: Problem; found?: number }>({});
  const isLooking = useStore(looking);
  const waiting = orders.filter(isWaiting);
  const prices = waiting.flatMap((order) => priceOf(order) ?? []);
  const total = prices.reduce((sum, price) => sum + price, 0);
  const start = async () => {
    if (isLooking || checked.isRunning) return;
    looking.set(true);
    setNotice({});
    const earlier = await findEarlier();
    looking.set(false);
    if ('problem' in earlier || earlier.found > 0) return setNotice(earlier);
    await createOrders();
  };
  return (
    <section class="crear" aria-label="Crear">
      {notice.problem && <ProblemMessage problem={notice.problem} />}
      {notice.found !== undefined && notice.found > 0 && (
        <Message kind="warning">
          {notice.found === 1
            ? 'Se desmarcó una fila que ya tiene guía'
            : `Se desmarcaron ${notice.found} filas que ya tienen guía`}{' '}
          con su Referencia. Marque la que quiera otra vez.
        </Message>
      )}
      {state?.problem && <ProblemMessage problem={state.problem} />}
      {state && (
        <Progress
          label={state.isRunning ? 'Creando' : 'Filas enviadas'}
          done={state.done}
          total={state.total}
        />
      )}
      {waiting.length > 0 && prices.length > 0 && (
        <p>
          Total: <strong>{pesos(total)}</strong>
          {prices.length < waiting.length && `, y ${waiting.length - prices.length} sin precio`}
        </p>
      )}
      {waiting.length > 0 && prices.length === 0 && !checked.isRunning && may('guias.quote') && (
        <p>Sin precio: para verlo, las filas necesitan peso, largo, alto y ancho.</p>
      )}
      {state?.isRunning ? (
        <Button onClick={stopCreating} busy={state.isStopped === true}>
          Detener
        </Button>
      ) : (
        waiting.length > 0 && (
          <Button onClick={() => void start()} busy={isLooking || checked.isRunning}>
            {state ? 'Continuar con' : 'Crear'} {waiting.length} {waiting.length === 1 ? 'guía' : 'guías'}
          </Button>
        )
      )}
    </section>
  );
}
