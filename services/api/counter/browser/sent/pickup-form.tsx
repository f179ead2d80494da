import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { usePlace } from '../one/looked-up.ts';
import { KeptSenders } from '../one/senders.tsx';
import { besideField } from '../ui/api-words.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FormProblem, ProblemMessage } from '../ui/message.tsx';
import { useOne } from './pages-of.ts';
import { dayWords, deadlineWords } from './words.ts';

type Window = { Fecha: string; Desde: string; Hasta: string; SolicitarAntesDe: string };
type Availability = {
  Sucursal: string;
  Ventanas: Window[];
  Motivo?: 'sin_recolecciones' | 'sin_dias' | 'sin_cupo';
};
/** Where to pick up, by the names of the API. */
export type PickupPlace = Partial<Record<FieldName | 'CodigoPostal' | 'Telefono', string>>;
type FieldName = (typeof FIELDS)[number]['name'];

const FIELDS = [
  { name: 'Nombre', label: 'Por quién preguntar', autocomplete: 'name', required: true },
  { name: 'Celular', label: 'Celular', autocomplete: 'tel', required: true, inputMode: 'tel' },
  { name: 'Calle', label: 'Calle', autocomplete: 'address-line1', required: true },
  { name: 'Numero_exterior', label: 'Número', autocomplete: 'off' },
  { name: 'Numero_interior', label: 'Interior', autocomplete: 'off' },
  { name: 'Colonia', label: 'Colonia', autocomplete: 'address-level3' },
  { name: 'Municipio', label: 'Municipio', autocomplete: 'address-level2' },
  { name: 'Estado', label: 'Estado', autocomplete: 'address-level1' },
] as const;
const NO_WINDOWS = {
  sin_recolecciones: 'La sucursal de ese código no recoge: lleve los paquetes a ella.',
  sin_dias: 'La sucursal no recoge en los próximos 30 días: lleve los paquetes a ella.',
  sin_cupo: 'Todas las ventanas están llenas: intente mañana, o lleve los paquetes a la sucursal.',
};
const POSTAL_CODE = /^\d{5}$/;

/**
 * Asks the carrier to come for parcels.
 *
 * @param of what is picked up: guides, a manifest, or parcels that nobody names.
 * @param place what is known of the address.
 */
export function PickupForm(props: {
  of?: { Guias: readonly string[] } | { Manifiesto: string };
  packages?: number;
  place?: PickupPlace;
  onDone: (number: string) => void;
}) {
  const { of = {}, packages: known, place: start = {}, onDone } = props;
  const [postalCode, setPostalCode] = useState(start.CodigoPostal ?? '');
  const [place, setPlace] = useState<PickupPlace>(withPhone(start));
  const [packages, setPackages] = useState(String(known ?? ''));
  const [notes, setNotes] = useState('');
  const [chosen, setChosen] = useState(0);
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  // The same request again is the same pick-up; after a refusal it is another request.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const isWhole = POSTAL_CODE.test(postalCode);
  const offer = useOne<Availability>(isWhole ? '/api/recolecciones/disponibles' : undefined, {
    CodigoPostal: postalCode,
  });
  const found = usePlace(postalCode, place, '', (more) => setPlace((former) => ({ ...former, ...more })));
  const choose = (sender: Readonly<Record<string, string>>) => {
    const chosen: PickupPlace = Object.fromEntries(
      Object.entries(sender).map(([path, value]) => [path.replace('Remitente.', ''), value]),
    );
    setPostalCode(chosen.CodigoPostal ?? '');
    setPlace(withPhone(chosen));
  };
  const windows = isWhole ? (offer.data?.Ventanas ?? []) : [];
  useEffect(() => setChosen(0), [postalCode]);

  const problemOf = (campo: string) => {
    const found = problem?.errors?.find((each) => each.campo === campo);
    return found && { text: besideField(found.message), codigo: found.codigo };
  };
  const send = async (event: Event) => {
    event.preventDefault();
    const window = windows[chosen];
    if (isBusy || !window) return;
    setBusy(true);
    setProblem(undefined);
    const { Fecha, Desde, Hasta } = window;
    const body = {
      Ventana: { Fecha, Desde, Hasta },
      Direccion: { ...withoutBlanks(place), CodigoPostal: postalCode },
      Paquetes: Number(packages),
      ...(notes.trim() !== '' && { Notas: notes }),
      ...of,
    };
    const answer = await ask<{ Recoleccion: string }>({
      method: 'POST',
      path: '/api/recolecciones',
      body,
      key,
    });
    setBusy(false);
    if (answer.ok) return onDone(answer.data.Recoleccion);
    setProblem(answer.problem);
    if (answer.status >= 400 && answer.status < 500) setKey(crypto.randomUUID());
  };
  return (
    <form class="recoger" onSubmit={send}>
      {props.place === undefined && <KeptSenders onChoose={choose} />}
      <div class="juntos">
        <Field id="recoger-cp" label="Código postal" problem={problemOf('Direccion.CodigoPostal')}>
          {(attributes) => (
            <input
              {...attributes}
              value={postalCode}
              onInput={({ currentTarget }) => {
                setPostalCode(currentTarget.value.trim());
                // What was there is not at another postal code.
                if (found.place)
                  setPlace((former) => ({ ...former, Colonia: '', Municipio: '', Estado: '' }));
              }}
              inputMode="numeric"
              autocomplete="postal-code"
              maxLength={5}
              required
            />
          )}
        </Field>
        <Field
          id="recoger-ventana"
          label="Cuándo"
          problem={problemOf('Ventana')}
          hint={windowHint(windows[chosen])}
        >
          {(attributes) => (
            <select
              {...attributes}
              value={chosen}
              required
              disabled={windows.length === 0}
              onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
            >
              {windows.length === 0 && <option value={0}>Escriba el código postal</option>}
              {windows.map(({ Fecha, Desde, Hasta }, i) => (
                <option key={`${Fecha} ${Desde}`} value={i}>
                  {dayWords(Fecha)}, de {Desde} a {Hasta}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {isWhole && offer.problem && <ProblemMessage problem={offer.problem} />}
      {isWhole && offer.data?.Motivo && <p role="status">{NO_WINDOWS[offer.data.Motivo]}</p>}
      <div class="juntos">
        {FIELDS.map(({ name, label, ...rest }) => (
          <Field
            key={name}
            id={`recoger-${name}`}
            label={label}
            isOptional={!('required' in rest)}
            problem={problemOf(`Direccion.${name}`)}
          >
            {(attributes) => (
              <input
                {...attributes}
                {...rest}
                value={place[name] ?? ''}
                onInput={({ currentTarget }) => setPlace({ ...place, [name]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <Field id="recoger-paquetes" label="Paquetes" problem={problemOf('Paquetes')}>
          {(attributes) => (
            <input
              {...attributes}
              type="number"
              min={1}
              required
              value={packages}
              onInput={({ currentTarget }) => setPackages(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      <Field id="recoger-notas" label="Lo que el chofer debe saber" isOptional problem={problemOf('Notas')}>
        {(attributes) => (
          <input
            {...attributes}
            maxLength={250}
            value={notes}
            onInput={({ currentTarget }) => setNotes(currentTarget.value)}
          />
        )}
      </Field>
      {problem && <FormProblem problem={problem} isMarked={isMarked} />}
      <Button type="submit" busy={isBusy || windows.length === 0}>
        Pedir la recolección
      </Button>
    </form>
  );
}

/** Whether a problem of the API stands beside a field of this form. */
function isMarked(campo: string): boolean {
  const name = campo.replace('Direccion.', '');
  return (
    ['Ventana', 'CodigoPostal', 'Paquetes', 'Notas'].includes(name) ||
    FIELDS.some((field) => field.name === name)
  );
}

function windowHint(window: Window | undefined): string | undefined {
  return window && `Puede cancelarla hasta el ${deadlineWords(window.SolicitarAntesDe)}.`;
}

function withPhone(place: PickupPlace): PickupPlace {
  return { ...place, Celular: place.Celular ?? place.Telefono ?? '' };
}

function withoutBlanks(place: PickupPlace): PickupPlace {
  return Object.fromEntries(FIELDS.flatMap(({ name }) => (place[name]?.trim() ? [[name, place[name]]] : [])));
}
