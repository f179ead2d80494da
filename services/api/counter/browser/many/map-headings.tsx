import { useEffect, useState } from 'preact/hooks';
import { session } from '../api/session.ts';
import { keep, readKept } from '../kept/kept.ts';
import { KeepSender, KeptSenders } from '../one/senders.tsx';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { FIELDS, fieldAt, SERVICE } from './fields.ts';
import { type Mapping, nameOfHeadings, recognise } from './headings.ts';
import { type Row, rowsOf, type Sheet } from './rows.ts';

type Done = (rows: Row[], others: string[], columns: string[]) => void;

/** What every guide needs, and the table always shows. */
const NEEDED = ['Destinatario.Nombre', 'Destinatario.CodigoPostal', 'Producto.Contenido', 'Remitente.Nombre'];
/** What is often the same in all rows. */
const OFTEN_SAME = FIELDS.map(({ path }) => path).filter(
  (path) =>
    path === SERVICE ||
    (path.startsWith('Remitente.') && path !== 'Remitente.Email') ||
    /\.(?:Contenido|Peso|Largo|Alto|Ancho)$/.test(path),
);
/** Most values of a column that are shown, so that a person knows it. */
const SHOWN = 2;

/** Asks what the columns mean that are not known, and for what the file does not say. */
export function MapHeadings(props: { name: string; sheet: Sheet; onDone: Done; onBack: () => void }) {
  const { name, sheet, onDone, onBack } = props;
  const { headings } = sheet;
  const [mapping, setMapping] = useState<Mapping>(() => recognise(headings));
  const [same, setSame] = useState<Readonly<Record<string, string>>>({ [SERVICE]: 'Domicilio' });
  const [isKept, setKept] = useState(false);
  const username = session.get()?.username ?? '';
  const keptName = nameOfHeadings(headings);
  useEffect(() => {
    void readKept(username, 'headings', keptName).then((kept) => {
      if (!kept) return;
      setMapping(headings.map((heading) => (fieldAt(kept[heading] ?? '') ? kept[heading] : undefined)));
      setKept(true);
    });
  }, []);

  const done = async (event: Event) => {
    event.preventDefault();
    const meanings = Object.fromEntries(headings.map((heading, i) => [heading, mapping[i] ?? '']));
    if (isKept) await keep(username, 'headings', meanings, keptName);
    const filled = Object.entries(same).filter(([, text]) => text.trim() !== '');
    const rows = rowsOf(sheet, mapping).map((row) => ({
      ...row,
      cells: { ...Object.fromEntries(filled), ...row.cells },
    }));
    const columns = new Set(
      [...mapping, ...filled.map(([path]) => path), ...NEEDED].filter((path) => path !== undefined),
    );
    onDone(
      rows,
      headings.filter((_, i) => mapping[i] === undefined),
      [...columns],
    );
  };
  const known = mapping.filter((path) => path !== undefined).length;
  return (
    <form onSubmit={done}>
      <h2>{name}</h2>
      <p role="status">
        {sheet.count} filas.{' '}
        {known === headings.length
          ? 'Se reconocieron todas las columnas.'
          : `Se reconocieron ${known} de ${headings.length} columnas: diga qué son las demás, o déjelas fuera.`}
      </p>
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
              {FIELDS.map(({ path, label }) => (
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
      <details open={!mapping.includes('Remitente.Nombre')}>
        <summary>Lo que es igual en todas las guías</summary>
        <p>Se pone en las filas que no lo traen.</p>
        <KeptSenders onChoose={(sender) => setSame({ ...same, ...sender })} />
        <div class="iguales">
          {OFTEN_SAME.map((path) => (
            <Field key={path} id={`igual-${path}`} label={fieldAt(path)?.label ?? path}>
              {(attributes) =>
                path === SERVICE ? (
                  <select
                    {...attributes}
                    value={same[path]}
                    onChange={({ currentTarget }) => setSame({ ...same, [path]: currentTarget.value })}
                  >
                    <option value="Domicilio">A domicilio</option>
                    <option value="the service">Recoge en sucursal</option>
                  </select>
                ) : (
                  <input
                    {...attributes}
                    value={same[path] ?? ''}
                    onInput={({ currentTarget }) => setSame({ ...same, [path]: currentTarget.value })}
                  />
                )
              }
            </Field>
          ))}
        </div>
        <KeepSender values={same} />
      </details>
      <p class="botones">
        <Button type="submit">Revisar las filas</Button>
        <Button quiet onClick={onBack}>
          Otro archivo
        </Button>
      </p>
    </form>
  );
}

function valuesOf({ body }: Sheet, column: number): string {
  const values = new Set(body.map((row) => row[column]?.trim() ?? '').filter((text) => text !== ''));
  return [...values].slice(0, SHOWN).join(' · ');
}
