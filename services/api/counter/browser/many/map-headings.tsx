import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { SERVICE_TYPES } from '#shared/guides/guide.ts';
import { session } from '../api/session.ts';
import { forget, keep, readKept } from '../kept/kept.ts';
import type { FieldSpec, Values } from '../one/form.ts';
import { useCheck } from '../one/looked-up.ts';
import { SectionFields, saidOf } from '../one/section-fields.tsx';
import { Button } from '../ui/button.tsx';
import { Message } from '../ui/message.tsx';
import { serviceName } from '../ui/words.ts';
import { FIELDS, MEASURES, SERVICE } from './fields.ts';
import { type Mapping, namesOfHeadings, recognise } from './headings.ts';
import { bodyOf } from './request.ts';
import { countOfRows, rowsOf, type Sheet } from './rows.ts';
import { answersTo, askedOf, withAnswers } from './same-in-all.ts';
import type { beginWork, Source } from './work.ts';

/** What a column may mean. */
const MEANINGS = [...FIELDS, MEASURES];
const isMeaning = (path: string | undefined) => MEANINGS.some((each) => each.path === path);

/** A file, with what was answered before about its columns. */
export type Chosen = Pick<Source, 'name' | 'sheet'> & Partial<Source>;

/** Most values of a column that are shown, so that a person knows it. */
const SHOWN = 2;

/** Asks what the columns mean that are not known, and once for what no row says. */
export function MapHeadings(props: {
  file: Chosen;
  onDone: typeof beginWork;
  back: string;
  onBack: () => void;
}) {
  const { file, onDone, back, onBack } = props;
  const { name, sheet } = file;
  const { headings } = sheet;
  const [mapping, setMapping] = useState<Mapping>(() => file.mapping ?? recognise(headings));
  const [same, setSame] = useState<Values>(file.same ?? { [SERVICE]: SERVICE_TYPES[0] });
  // Whoever names the last column still sees it.
  const [hasUnknown] = useState(() => file.mapping !== undefined || mapping.includes(undefined));
  const [isKept, setKept] = useState(false);
  const [refused, setRefused] = useState<object>();
  const element = useRef<HTMLFormElement>(null);
  const username = session.get()?.username ?? '';
  const names = namesOfHeadings(headings);
  // Whatever their order.
  const keptName = names.toSorted().join('|');
  useEffect(() => {
    void readKept(username, 'headings', keptName).then((kept) => {
      if (!kept) return;
      const meaningOf = (name: string, i: number) =>
        kept[name] === '' || isMeaning(kept[name]) ? kept[name] || undefined : mapping[i];
      if (!file.mapping) setMapping(names.map(meaningOf));
      setKept(true);
    });
  }, []);

  const rows = useMemo(() => rowsOf(sheet, mapping), [mapping]);
  const asked = useMemo(() => askedOf(rows), [rows]);
  const answers = answersTo(asked, same);
  useEffect(() => {
    const isSenderMissing = asked.required.flat().some(({ path }) => path === 'Remitente.Nombre');
    if (file.same || !isSenderMissing) return;
    void readKept(username, 'senders').then(([only, ...others] = []) => {
      if (only && others.length === 0) setSame((former) => ({ ...(only as Values), ...former }));
    });
  }, []);
  const missing = asked.required.filter((fields) => !fields.some(({ path }) => answers[path]));
  const [first] = rows;
  // What is wrong for all rows is said here once, by one of them.
  const checked = useCheck(
    first && missing.length === 0 ? bodyOf(withAnswers(first, answers).cells) : undefined,
  );
  const wrong = checked.problems.filter(({ campo = '' }) => answers[campo] && !first?.cells[campo]);
  const told = {
    problem: ({ path }: FieldSpec) =>
      refused && missing.some(([field]) => field?.path === path)
        ? { text: 'Ninguna fila lo trae. Escríbalo aquí, o diga arriba en qué columna está.' }
        : saidOf(path, wrong),
    warning: () => undefined,
  };
  useEffect(() => {
    const invalid = refused && element.current?.querySelector<HTMLElement>('[aria-invalid]');
    if (!invalid) return;
    for (let at = invalid.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
      at.open = true;
    invalid.focus();
  }, [refused]);

  const done = async (event: Event) => {
    event.preventDefault();
    if (rows.length === 0 || missing.length > 0 || wrong.length > 0) return setRefused({});
    const meanings = Object.fromEntries(names.map((each, i) => [each, mapping[i] ?? '']));
    if (isKept) await keep(username, 'headings', meanings, keptName);
    else if (await readKept(username, 'headings', keptName)) await forget(username, 'headings', keptName);
    onDone({ name, sheet, mapping, same }, rows, answers);
  };
  const known = mapping.filter((path) => path !== undefined).length;
  return (
    <form ref={element} onSubmit={done} noValidate>
      <h2>{name}</h2>
      <p role="status">
        {countOfRows(sheet.count)}{' '}
        {known === headings.length
          ? 'Se reconocieron todas las columnas.'
          : `Se reconocieron ${known} de ${headings.length} columnas: diga qué son las demás, o déjelas fuera.`}
        {asked.required.length > 0 &&
          ` Ninguna fila trae ${asked.required.map((fields) => fields.map(({ label }) => label).join(' o ')).join(', ni ')}: dígalo abajo una vez para todas.`}
      </p>
      <details open={hasUnknown}>
        <summary>Qué es cada columna</summary>
        <ul class="columnas">
          {headings.map((heading, i) => (
            <li key={i}>
              <label for={`columna-${i}`}>
                <strong>{heading || `Columna ${i + 1}`}</strong>
                <small>{valuesOf(sheet, i)}</small>
              </label>
              <select
                id={`columna-${i}`}
                value={mapping[i] ?? ''}
                onChange={({ currentTarget }) =>
                  setMapping(mapping.map((path, j) => (i === j ? currentTarget.value || undefined : path)))
                }
              >
                <option value="">No se usa</option>
                {MEANINGS.map(({ path, label }) => (
                  <option key={path} value={path}>
                    {label}
                  </option>
                ))}
              </select>
            </li>
          ))}
        </ul>
        <label class="marcar">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
          Recordar en este navegador, para archivos con los mismos encabezados
        </label>
      </details>
      <details open={asked.required.length > 0}>
        <summary>Lo que es igual en todas las guías</summary>
        <p>Se pone en las filas que no lo traen.</p>
        <div class="guia">
          {asked.sections.map((section) => (
            <SectionFields
              key={section.name}
              section={section}
              values={same}
              onValues={(more) => setSame((former) => ({ ...former, ...more }))}
              told={told}
            />
          ))}
          {asked.isServiceAsked && (
            <fieldset>
              <legend>Servicio</legend>
              {SERVICE_TYPES.map((each) => (
                <label key={each} class="servicio">
                  <input
                    type="radio"
                    name="servicio"
                    checked={same[SERVICE] === each}
                    onChange={() => setSame({ ...same, [SERVICE]: each })}
                  />
                  {serviceName(each)}
                </label>
              ))}
            </fieldset>
          )}
        </div>
      </details>
      {refused && rows.length === 0 && (
        <Message kind="bad">Diga primero qué es cada columna: así ninguna fila dice nada.</Message>
      )}
      <p class="botones">
        <Button type="submit">Revisar las filas</Button>
        <Button quiet onClick={onBack}>
          {back}
        </Button>
      </p>
    </form>
  );
}

function valuesOf({ body }: Sheet, column: number): string {
  const values = new Set(body.map((row) => row[column]?.trim() ?? '').filter((text) => text !== ''));
  return [...values].slice(0, SHOWN).join(' · ');
}
