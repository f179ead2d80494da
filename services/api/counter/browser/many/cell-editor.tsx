import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import { fieldAt } from './fields.ts';
import type { Row } from './rows.ts';

export type Step = readonly [down: number, right: number];
type Props = {
  order: Row;
  path: string;
  label: string;
  onWrite: (text: string, step?: Step) => void;
  onCancel: () => void;
};

/** Corrects one cell. Enter goes to the cell below, Tab to the next, Escape leaves it as it was. */
export function CellEditor({ order, path, label, onWrite, onCancel }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const offers = useOffers(order, path);
  // At once: what is typed after the paint would be selected, and lost to the next key.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
    // A cell that is taken away, such as by a filter, keeps what is written.
    return () => write();
  }, []);
  const write = (step?: Step) => {
    if (isDone.current) return;
    isDone.current = true;
    onWrite(input.current?.value ?? '', step);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, Step> = { Enter: [1, 0], Tab: [0, event.shiftKey ? -1 : 1] };
    const step = steps[event.key];
    // The table goes on to the next problem.
    if (event.key === 'F8') return write();
    if (step) write(step);
    else if (event.key === 'Escape') {
      isDone.current = true;
      onCancel();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <input
        ref={input}
        class="edicion"
        aria-label={`${label} de la fila ${order.line}`}
        defaultValue={order.cells[path] ?? ''}
        inputMode={fieldAt(path)?.kind === 'digits' ? 'numeric' : undefined}
        list={offers.length > 0 ? 'ofertas' : undefined}
        autocomplete="off"
        onKeyDown={press}
        onInput={() => {
          // The next problem was this one again.
          isDone.current = false;
        }}
        onBlur={() => write([0, 0])}
      />
      {offers.length > 0 && (
        <datalist id="ofertas">
          {offers.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

type Place = { Estado: string; Municipio: string; Colonias: string[] };
/** What the catalogue knows of postal codes; undefined where it knows nothing. */
const places = new Map<string, Promise<Place | undefined>>();

function useOffers({ cells }: Row, path: string): readonly string[] {
  const [offers, setOffers] = useState<readonly string[]>([]);
  const [section, field = ''] = path.split('.');
  const code = cells[`${section}.CodigoPostal`]?.trim() ?? '';
  useEffect(() => {
    if (!/^\d{5}$/.test(code) || !['Colonia', 'Municipio', 'Estado'].includes(field)) return;
    let isHere = true;
    void placeOf(code).then((place) => {
      if (!place || !isHere) return;
      setOffers(field === 'Colonia' ? place.Colonias : [place[field as 'Municipio' | 'Estado']]);
    });
    return () => {
      isHere = false;
    };
  }, [code, field]);
  return offers;
}

function placeOf(code: string): Promise<Place | undefined> {
  const known =
    places.get(code) ??
    ask<Place>({ method: 'GET', path: `/api/codigos-postales/${code}` }).then((answer) =>
      answer.ok ? answer.data : undefined,
    );
  places.set(code, known);
  return known;
}
