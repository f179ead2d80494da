import { useEffect, useState } from 'preact/hooks';
import { askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { keep, readKept } from '../kept/kept.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { FileShown, type ShownFile } from './file-shown.tsx';
import { ProblemMessage } from './message.tsx';

/** The papers. The browser keeps the path of the label, which other parts of the page use, and `hoja` as its format. */
const PAPERS = [
  { name: '10x15', path: 'etiqueta-10x15', text: '10 × 15 cm', body: { Tipo: '10x15' } },
  { name: 'pequena', path: 'etiqueta-pequena', text: '10 × 10 cm', body: { Tipo: 'pequena' } },
  {
    name: 'hoja',
    path: 'etiqueta-pequena',
    text: 'Hoja carta con cuatro de 10 × 10',
    body: { Tipo: 'pequena', Hoja: 'carta-4' },
  },
  { name: 'carta', path: 'etiqueta', text: 'Hoja carta con una', body: { Tipo: 'carta' } },
] as const;
const FORMATS = [
  { name: 'pdf', text: 'PDF, para cualquier impresora', query: { formato: 'pdf' } },
  {
    name: 'zpl-203',
    text: 'ZPL de 203 dpi, para Zebra y compatibles',
    query: { formato: 'zpl', dpi: '203' },
  },
  {
    name: 'zpl-300',
    text: 'ZPL de 300 dpi, para Zebra y compatibles',
    query: { formato: 'zpl', dpi: '300' },
  },
] as const;
/** Guides of one file. */
const MOST = 500;

/** Prints the labels of guides as one file, in the form that the user chose last. More than 500 guides are several files. */
export function PrintLabels({ guides }: { guides: readonly string[] }) {
  const [paper, setPaper] = useState<string>(PAPERS[0].name);
  const [format, setFormat] = useState<string>(FORMATS[0].name);
  const [isKept, setKept] = useState(false);
  const [first, setFirst] = useState(0);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [file, setFile] = useState<ShownFile>();
  const username = session.get()?.username ?? '';
  useEffect(() => {
    void readKept(username, 'printer').then((printer) => {
      if (!printer) return;
      const { label, format } = printer;
      setPaper(
        PAPERS.find(({ name, path }) => (format === 'hoja' ? name === format : path === label))?.name ?? '',
      );
      setFormat(format);
      setKept(true);
    });
  }, [username]);

  const chosen = PAPERS.find(({ name }) => name === paper) ?? PAPERS[0];
  const isSheet = 'Hoja' in chosen.body;
  const form = FORMATS.find(({ name }) => name === format && !isSheet) ?? FORMATS[0];
  const print = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    if (isKept)
      void keep(username, 'printer', { label: chosen.path, format: isSheet ? chosen.name : form.name });
    const some = guides.slice(first, first + MOST);
    const answer = await askBlob({
      method: 'POST',
      path: '/api/guias/etiquetas',
      query: form.query,
      body: { Guias: some, ...chosen.body },
      // Printing twice does no harm, so a lost connection is no reason to ask the user.
      key: crypto.randomUUID(),
      accept: '*/*',
    });
    setBusy(false);
    if (!answer.ok) return setProblem(answer.problem);
    const name = some.length === 1 ? `guia-${some[0]}` : `etiquetas-${first + 1}-a-${first + some.length}`;
    setFile({ blob: answer.data, name: `${name}.${form.query.formato}` });
  };
  return (
    <form class="imprimir" onSubmit={print}>
      <Field id="papel" label="Etiqueta">
        {(attributes) => (
          <select
            {...attributes}
            value={chosen.name}
            onChange={({ currentTarget }) => setPaper(currentTarget.value)}
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
            value={form.name}
            disabled={isSheet}
            onChange={({ currentTarget }) => setFormat(currentTarget.value)}
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
      {file && <FileShown file={file} onClose={() => setFile(undefined)} />}
    </form>
  );
}
