import { useEffect, useState } from 'preact/hooks';
import { GUIDE_STATUSES } from '#shared/guides/event-types.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { PrintLabels } from '../ui/print-labels.tsx';
import { createStore } from '../ui/store.ts';
import { useStore } from '../ui/use-store.ts';
import { pesos } from '../ui/words.ts';
import { Listed, Table } from './listed.tsx';
import { usePages } from './pages-of.ts';
import { State, stateWords } from './state.tsx';
import { dateOf, momentWords } from './words.ts';

/** A guide as the list has it. */
type Row = {
  SEND_GUIA: string;
  SEND_ESTATUS: string;
  SEND_FECHA: string;
  SEND_SUCU_DEST: string;
  SEND_DESTINATARIO: string;
  SEND_TOTAL: number;
  Referencia?: string;
  DevolucionDe?: string;
};

const GUIDE_NUMBER = /^\d{12}$/;
/** After so many days a guide that nobody has received is worth a look. */
const FORGOTTEN_DAYS = 7;
/** How many are shown at first. */
const TROUBLES = 5;
const LARGEST_PAGE = '500';
/** What was searched for last: whoever comes back from a guide finds it again. */
const searched = createStore<Record<string, string>>({});

/** The account's guides: those in trouble first, then what is searched for. */
export function Guides() {
  const query = useStore(searched);
  const isSearch = Object.keys(query).length > 0;
  return (
    <>
      <h1>Lo enviado</h1>
      <Search />
      {!isSearch && <Troubles />}
      <Found key={JSON.stringify(query)} query={query} />
    </>
  );
}

/** A number of a guide leads to it; any other text is a Referencia, which the service compares as a whole. */
function Search() {
  const last = searched.get();
  const [text, setText] = useState(last.referencia ?? '');
  const [status, setStatus] = useState(last.estatus ?? '');
  const [from, setFrom] = useState(last.desde ?? '');
  const [until, setUntil] = useState(last.hasta ?? '');
  const search = (event: Event) => {
    event.preventDefault();
    const wanted = text.trim();
    const digits = wanted.replaceAll(/[\s-]/g, '');
    if (GUIDE_NUMBER.test(digits)) {
      location.hash = addressOf('enviado', 'guias', digits);
      return;
    }
    const query = { referencia: wanted, estatus: status, desde: from, hasta: until };
    searched.set(Object.fromEntries(Object.entries(query).filter(([, value]) => value !== '')));
  };
  const clear = () => {
    for (const set of [setText, setStatus, setFrom, setUntil]) set('');
    searched.set({});
  };
  return (
    <form class="buscar" aria-label="Buscar" onSubmit={search}>
      <Field id="buscado" label="Número de guía o Referencia" hint="La Referencia, completa y tal cual.">
        {(attributes) => (
          <input
            {...attributes}
            value={text}
            maxLength={60}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      <Field id="estatus" label="Estado">
        {(attributes) => (
          <select
            {...attributes}
            value={status}
            onChange={({ currentTarget }) => setStatus(currentTarget.value)}
          >
            <option value="">Cualquiera</option>
            {GUIDE_STATUSES.map((each) => (
              <option key={each} value={each}>
                {each === 'EnSucursal' ? 'En una sucursal' : stateWords(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field id="desde" label="Desde">
        {(attributes) => (
          <input
            {...attributes}
            type="date"
            value={from}
            onInput={({ currentTarget }) => setFrom(currentTarget.value)}
          />
        )}
      </Field>
      <Field id="hasta" label="Hasta">
        {(attributes) => (
          <input
            {...attributes}
            type="date"
            value={until}
            onInput={({ currentTarget }) => setUntil(currentTarget.value)}
          />
        )}
      </Field>
      <p class="acciones">
        <Button type="submit">Buscar</Button>
        <Button quiet onClick={clear}>
          Quitar filtros
        </Button>
      </p>
    </form>
  );
}

/**
 * Guides with an incident, and those that nobody has received after a week: the rest goes by itself. A return may lie unused in its box
 * for as long.
 */
function Troubles() {
  const before = dateOf(new Date(Date.now() - FORGOTTEN_DAYS * 86_400_000));
  const incidents = usePages<Row>('/api/guias', { estatus: 'Incidencia', limite: String(TROUBLES) });
  const unused = usePages<Row>('/api/guias', { estatus: 'Documentado', hasta: before, limite: LARGEST_PAGE });
  const [most, setMost] = useState(TROUBLES);
  const rows = unused.rows.filter(({ DevolucionDe }) => DevolucionDe === undefined);
  const more = rows.length > most ? () => setMost(Number.POSITIVE_INFINITY) : unused.more;
  // Returns alone may fill a page.
  useEffect(() => {
    if (!unused.isLoading && rows.length === 0) unused.more?.();
  }, [unused.isLoading]);
  const forgotten = { ...unused, rows: rows.slice(0, most), more };
  const lists = [
    { caption: 'Tuvieron un problema', pages: incidents },
    { caption: 'Nadie las ha recibido en una semana: entréguelas o cancélelas', pages: forgotten },
  ].filter(({ pages }) => pages.rows.length > 0 || pages.problem);
  if (lists.length === 0) return null;
  return (
    <section aria-label="Lo que pide atención">
      {lists.map(({ caption, pages }) => (
        <Listed key={caption} pages={pages} empty="">
          {(rows) => <Rows caption={caption} rows={rows} />}
        </Listed>
      ))}
    </section>
  );
}

function Found({ query }: { query: Record<string, string> }) {
  const pages = usePages<Row>('/api/guias', query);
  const isSearch = Object.keys(query).length > 0;
  const until = pages.beside?.buscadoHasta;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const empty = isSearch ? (
    <p>Ninguna guía es así. Revise la Referencia, que debe ir completa, o quite filtros.</p>
  ) : (
    <p>
      Todavía no hay guías. <a href={addressOf('una')}>Cree la primera</a>, o{' '}
      <a href={addressOf('varias')}>suba un archivo</a>.
    </p>
  );
  return (
    <>
      <Listed pages={pages} empty={empty}>
        {(rows) => (
          <Rows
            caption={isSearch ? 'Lo que se encontró' : 'Todas, de la más nueva a la más vieja'}
            rows={rows}
            chosen={chosen}
            onChoose={(number) => setChosen(toggled(chosen, number))}
          />
        )}
      </Listed>
      {chosen.size > 0 && <PrintChosen guides={[...chosen]} onClear={() => setChosen(new Set())} />}
      {typeof until === 'string' && <p role="status">Se buscó hasta el {momentWords(until)}.</p>}
    </>
  );
}

function toggled(chosen: ReadonlySet<string>, number: string): ReadonlySet<string> {
  return new Set(chosen.has(number) ? [...chosen].filter((each) => each !== number) : [...chosen, number]);
}

/** Stays in sight below the list. */
function PrintChosen({ guides, onClear }: { guides: string[]; onClear: () => void }) {
  const [isPrinting, setPrinting] = useState(false);
  const words = guides.length === 1 ? 'una etiqueta' : `${guides.length} etiquetas`;
  return (
    <div class="elegidas">
      <Button onClick={() => setPrinting(true)}>Imprimir {words}…</Button>
      <Button quiet onClick={onClear}>
        Quitar selección
      </Button>
      {isPrinting && (
        <Dialog title={`Imprimir ${words}`} onClose={() => setPrinting(false)}>
          <PrintLabels guides={guides} />
          <Button quiet onClick={() => setPrinting(false)}>
            Cerrar
          </Button>
        </Dialog>
      )}
    </div>
  );
}

const HEADS = ['Guía', 'Referencia', 'Para', 'Destino', 'Estado', 'Creada', 'Precio'] as const;

/** @param onChoose takes the number of a guide that is ticked, or no longer. */
function Rows(props: {
  caption: string;
  rows: Row[];
  chosen?: ReadonlySet<string>;
  onChoose?: (number: string) => void;
}) {
  const { caption, rows, chosen, onChoose } = props;
  return (
    <Table caption={caption} heads={HEADS}>
      {rows.map((row) => (
        <tr key={row.SEND_GUIA}>
          <th scope="row">
            {onChoose && row.SEND_ESTATUS !== 'Cancelado' && (
              <input
                type="checkbox"
                aria-label={`Imprimir ${row.SEND_GUIA}`}
                checked={chosen?.has(row.SEND_GUIA)}
                onChange={() => onChoose(row.SEND_GUIA)}
              />
            )}
            <a href={addressOf('enviado', 'guias', row.SEND_GUIA)}>{row.SEND_GUIA}</a>
          </th>
          <td data-de="Referencia">{row.Referencia}</td>
          <td data-de="Para">{row.SEND_DESTINATARIO}</td>
          <td data-de="Destino">{row.SEND_SUCU_DEST}</td>
          <td data-de="Estado">
            <State status={row.SEND_ESTATUS} />
          </td>
          <td data-de="Creada">{momentWords(row.SEND_FECHA)}</td>
          <td data-de="Precio" class="numero">
            {row.SEND_TOTAL > 0 && row.SEND_ESTATUS !== 'Cancelado' ? pesos(row.SEND_TOTAL) : ''}
          </td>
        </tr>
      ))}
    </Table>
  );
}
