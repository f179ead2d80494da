import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { FileShown } from '../ui/file-shown.tsx';
import { Message, ProblemMessage } from '../ui/message.tsx';
import { pesos } from '../ui/words.ts';
import { Failed, Listed, Table } from './listed.tsx';
import { may } from './may.ts';
import { useOne, usePages } from './pages-of.ts';
import { usePickupOf } from './pickups.tsx';
import { State } from './state.tsx';
import { useFile } from './use-file.ts';
import { countWords, momentWords } from './words.ts';

type Row = {
  Manifiesto: string;
  Fecha: string;
  SEND_SUCU_ORIG: string;
  Guias: number;
  Paquetes: number;
  Peso: number;
  Cobro?: number;
};
type Complete = Row & {
  QuedanGuias?: true;
  Canceladas?: number;
  Detalle: {
    SEND_GUIA: string;
    SEND_SUCU_DEST: string;
    Paquetes: number;
    Peso?: number;
    Cobro?: number;
    SEND_ESTATUS?: string;
  }[];
};

/** What was handed over together. */
export function Manifests() {
  const pages = usePages<Row>('/api/manifiestos');
  return (
    <>
      <h1>Manifiestos</h1>
      <p>La lista de lo que entrega al transportista, para que la firme y selle.</p>
      {may('guias.create') && <NewManifest />}
      <Listed
        pages={pages}
        empty={<p>Todavía no hay manifiestos. Haga uno cuando tenga guías por entregar.</p>}
      >
        {(rows) => (
          <Table
            caption="Del más nuevo al más viejo"
            heads={['Manifiesto', 'Hecho', 'Sucursal', 'Guías', 'Paquetes', 'Peso']}
          >
            {rows.map((row) => (
              <tr key={row.Manifiesto}>
                <th scope="row">
                  <a href={addressOf('enviado', 'manifiestos', row.Manifiesto)}>{row.Manifiesto}</a>
                </th>
                <td data-de="Hecho">{momentWords(row.Fecha)}</td>
                <td data-de="Sucursal">{row.SEND_SUCU_ORIG}</td>
                <td data-de="Guías" class="numero">
                  {row.Guias}
                </td>
                <td data-de="Paquetes" class="numero">
                  {row.Paquetes}
                </td>
                <td data-de="Peso" class="numero">
                  {row.Peso} kg
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

/** Makes a manifest of all guides that wait, and goes to it. */
function NewManifest() {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const [key, setKey] = useState(() => crypto.randomUUID());
  const make = async () => {
    setBusy(true);
    setProblem(undefined);
    const answer = await ask<Complete>({ method: 'POST', path: '/api/manifiestos', body: {}, key });
    setBusy(false);
    setKey(crypto.randomUUID());
    if (answer.ok) location.hash = addressOf('enviado', 'manifiestos', answer.data.Manifiesto);
    else setProblem(answer.problem);
  };
  return (
    <>
      {problem && <ProblemMessage problem={problem} />}
      <Button busy={isBusy} onClick={make}>
        Hacer uno con todo lo que espera
      </Button>
      <p class="ayuda">De su sucursal: las guías sin manifiesto de los últimos siete días, hasta 500.</p>
    </>
  );
}

export function Manifest({ number }: { number: string }) {
  const path = `/api/manifiestos/${encodeURIComponent(number)}`;
  const { data, problem, again } = useOne<Complete>(path);
  const pdf = useFile(`${path}/pdf`, `manifiesto-${number}.pdf`);
  return (
    <>
      <h1>Manifiesto {number}</h1>
      {problem && <Failed problem={problem} again={again} />}
      {!data && !problem && <p role="status">Cargando…</p>}
      {data && (
        <>
          <p>
            {momentWords(data.Fecha)}, sucursal {data.SEND_SUCU_ORIG}: {countWords(data.Guias, 'guía')},{' '}
            {countWords(data.Paquetes, 'paquete')}, {data.Peso} kg
            {data.Cobro !== undefined && `, ${pesos(data.Cobro)} por cobrar`}.
          </p>
          {data.Canceladas !== undefined && data.Canceladas > 0 && (
            <Message kind="warning">{data.Canceladas} se cancelaron después: no las entregue.</Message>
          )}
          {pdf.problem && <ProblemMessage problem={pdf.problem} />}
          <p class="acciones">
            <Button busy={pdf.isBusy} onClick={pdf.show}>
              {pdf.isBusy ? 'Preparando…' : 'Imprimir manifiesto'}
            </Button>
            <PickupOf manifest={number} />
          </p>
          {pdf.file && <FileShown file={pdf.file} prints />}
          <Table caption="Sus guías" heads={['Guía', 'Destino', 'Paquetes', 'Peso', 'Estado']}>
            {data.Detalle.map((guide) => (
              <tr key={guide.SEND_GUIA}>
                <th scope="row">
                  <a href={addressOf('enviado', 'guias', guide.SEND_GUIA)}>{guide.SEND_GUIA}</a>
                </th>
                <td data-de="Destino">{guide.SEND_SUCU_DEST}</td>
                <td data-de="Paquetes" class="numero">
                  {guide.Paquetes}
                </td>
                <td data-de="Peso" class="numero">
                  {guide.Peso !== undefined && `${guide.Peso} kg`}
                </td>
                <td data-de="Estado">{guide.SEND_ESTATUS && <State status={guide.SEND_ESTATUS} />}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}

/** The way to a manifest's pick-up: the one that is asked for, or the form for one. */
function PickupOf({ manifest }: { manifest: string }) {
  const asked = usePickupOf(manifest);
  if (asked) {
    return (
      <span>
        Pasan por ellas el {asked.when}:{' '}
        <a href={addressOf('enviado', 'recolecciones', asked.Recoleccion)}>{asked.Recoleccion}</a>
      </span>
    );
  }
  if (!may('guias.create')) return null;
  return <a href={addressOf('enviado', 'recolecciones', `para-${manifest}`)}>Pedir que pasen por ellas</a>;
}
