import { useEffect, useRef, useState } from 'preact/hooks';
import { askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { type Kept, keep, readKept } from '../kept/kept.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { FileShown, type ShownFile } from './file-shown.tsx';
import { ProblemMessage } from './message.tsx';

/** The papers. `path` prints the label of one guide at once; a sheet is always a file of labels. */
const PAPERS = [
  { name: '10x15', path: 'etiqueta-10x15', text: '10 × 15 cm', body: { Tipo: '10x15' } },
  { name: 'pequena', path: 'etiqueta-pequena', text: '10 × 10 cm', body: { Tipo: 'pequena' } },
  {
    name: 'hoja',
    path: undefined,
    text: 'Hoja carta con cuatro de 10 × 10',
    body: { Tipo: 'pequena', Hoja: 'carta-4' },
  },
  { name: 'carta', path: 'etiqueta', text: 'Hoja carta con una', body: { Tipo: 'carta' } },
] as const;
const FORMATS = [
  { name: 'pdf', text: 'PDF: cualquier impresora', query: { formato: 'pdf' } },
  {
    name: 'zpl-203',
    text: 'ZPL de 203 dpi: Zebra y compatibles',
    query: { formato: 'zpl', dpi: '203' },
  },
  {
    name: 'zpl-300',
    text: 'ZPL de 300 dpi: Zebra y compatibles',
    query: { formato: 'zpl', dpi: '300' },
  },
] as const;
/** Guides of one file. */
const MOST = 500;

/**
 * Prints the labels of guides as one file, on the paper that the user chose last. More than 500 guides are several files.
 *
 * @param atOnce the user has asked to print already.
 */
export function PrintLabels({ guides, atOnce = false }: { guides: readonly string[]; atOnce?: boolean }) {
  const [wanted, setWanted] = useState<Kept['printer']>({ paper: PAPERS[0].name, format: FORMATS[0].name });
  const [isKept, setKept] = useState(false);
  const [first, setFirst] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [file, setFile] = useState<ShownFile>();
  const leaving = useRef(new AbortController());
  const username = session.get()?.username ?? '';
  useEffect(() => {
    void readKept(username, 'printer').then((printer) => {
      if (printer) {
        setWanted(printer);
        setKept(true);
      }
      if (atOnce) void print(printer ?? wanted);
    });
    return () => leaving.current.abort();
  }, []);

  const { paper, format, isSheet } = chosen(wanted);
  const print = async (choice: Kept['printer']) => {
    setBusy(true);
    setProblem(undefined);
    setFile(undefined);
    const { paper, format } = chosen(choice);
    const some = guides.slice(first, first + MOST);
    const [only = ''] = some;
    const answer = await askBlob({
      ...(some.length === 1 && paper.path !== undefined
        ? { method: 'GET', path: `/api/guias/${paper.path}/${only}` }
        : {
            method: 'POST',
            path: '/api/guias/etiquetas',
            body: { Guias: some, ...paper.body },
            // Printing twice does no harm, so a lost connection is no reason to ask the user.
            key: crypto.randomUUID(),
          }),
      query: format.query,
      accept: '*/*',
      signal: leaving.current.signal,
    });
    if (leaving.current.signal.aborted) return;
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    const name = some.length === 1 ? `guia-${only}` : `etiquetas-${first + 1}-a-${first + some.length}`;
    setFile({ blob: answer.data, name: `${name}.${format.query.formato}` });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    if (isKept) void keep(username, 'printer', { paper: paper.name, format: format.name });
    void print(wanted);
  };
  return (
    <>
      <form class="imprimir" onSubmit={submit}>
        <Field id="papel" label="Papel">
          {(attributes) => (
            <select
              {...attributes}
              value={paper.name}
              onChange={({ currentTarget }) => setWanted({ ...wanted, paper: currentTarget.value })}
            >
              {PAPERS.map(({ name, text }) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          id="formato"
          label="Impresora"
          hint={isSheet ? 'Las hojas con cuatro etiquetas son PDF.' : undefined}
        >
          {(attributes) => (
            <select
              {...attributes}
              value={format.name}
              disabled={isSheet}
              onChange={({ currentTarget }) => setWanted({ ...wanted, format: currentTarget.value })}
            >
              {FORMATS.map(({ name, text }) => (
                <option key={name} value={name}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
        {guides.length > MOST && (
          <Field id="desde-guia" label="Guías" hint={`Un archivo lleva hasta ${MOST}.`}>
            {(attributes) => (
              <select
                {...attributes}
                value={first}
                onChange={({ currentTarget }) => setFirst(Number(currentTarget.value))}
              >
                {Array.from({ length: Math.ceil(guides.length / MOST) }, (_, i) => i * MOST).map((from) => (
                  <option key={from} value={from}>
                    De la {from + 1} a la {Math.min(from + MOST, guides.length)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <label class="marca-de">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => setKept(currentTarget.checked)}
          />
          Recordar en este navegador
        </label>
        {problem && <ProblemMessage problem={problem} />}
        <Button type="submit" busy={isBusy}>
          {isBusy ? 'Preparando…' : guides.length === 1 ? 'Imprimir etiqueta' : 'Imprimir etiquetas'}
        </Button>
      </form>
      {file && <FileShown file={file} prints />}
    </>
  );
}

/** Returns paper and format of a choice; sheets are PDF alone. */
function chosen(wanted: Kept['printer']) {
  const paper = PAPERS.find(({ name }) => name === wanted.paper) ?? PAPERS[0];
  const isSheet = 'Hoja' in paper.body;
  const format = FORMATS.find(({ name }) => name === wanted.format && !isSheet) ?? FORMATS[0];
  return { paper, format, isSheet };
}
