import { useState } from 'preact/hooks';
import { askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { saveFile } from '../ui/file-shown.tsx';
import { ProblemMessage } from '../ui/message.tsx';
import { pesos } from '../ui/words.ts';
import { Fact, Failed, Table } from './listed.tsx';
import { useOne } from './pages-of.ts';
import { dateOf, dayWords } from './words.ts';

type Figures = {
  Guias: number;
  Canceladas: number;
  Entregadas: number;
  Etiquetas: number;
  Total: number;
  TotalCanceladas: number;
  Ajustes: number;
  SinPrecio: number;
  PorCotizar: number;
  SinTarifa: number;
};
type Day = Figures & { Fecha: string };
type Month = Figures & { Mes: string; Provisional: boolean; Dias: Day[] };

/** What the account used in a month, day by day. */
export function Usage() {
  const [month, setMonth] = useState(dateOf(new Date()).slice(0, 7));
  const isWhole = /^20\d\d-\d\d$/.test(month);
  const { data, problem, again } = useOne<Month>(isWhole ? '/api/uso' : undefined, { mes: month });
  return (
    <>
      <h1>Cifras del mes</h1>
      <p>Cuántas guías hizo su cuenta, y lo que cuestan.</p>
      <div class="juntos">
        <Field id="mes" label="Mes" hint="Como 2026-11">
          {(attributes) => (
            <input
              {...attributes}
              type="month"
              value={month}
              onInput={({ currentTarget }) => setMonth(currentTarget.value)}
            />
          )}
        </Field>
      </div>
      {problem && <Failed problem={problem} again={again} />}
      {isWhole && !data && !problem && (
        <p role="status">Cargando… Un mes con muchas guías tarda la primera vez.</p>
      )}
      {isWhole && data && <Shown month={data} />}
    </>
  );
}

function Shown({ month }: { month: Month }) {
  const busy = month.Dias.filter((day) =>
    Object.values(day).some((figure) => typeof figure === 'number' && figure !== 0),
  );
  const unpriced = month.SinPrecio + month.SinTarifa;
  return (
    <>
      <dl class="cifras">
        <Fact name="Guías creadas">{month.Guias}</Fact>
        <Fact name="Entregadas">{month.Entregadas}</Fact>
        <Fact name="Canceladas">{month.Canceladas}</Fact>
        <Fact name="Etiquetas">{month.Etiquetas}</Fact>
        <Fact name="Por las guías">{pesos(owedOf(month))}</Fact>
      </dl>
      <p>
        {month.Provisional ? 'El mes aún no se cierra: puede sumarse algo.' : 'El mes está cerrado.'}
        {unpriced > 0 && ` ${unpriced} guías no tienen precio: se cobran a mano.`}
      </p>
      <Chart days={month.Dias} />
      <Export month={month.Mes} />
      <Table
        caption="Los días en que pasó algo, del último al primero"
        heads={['Día', 'Guías', 'Entregadas', 'Canceladas', 'Etiquetas', 'Por las guías']}
      >
        {busy.toReversed().map((day) => (
          <tr key={day.Fecha}>
            <th scope="row">{dayWords(day.Fecha)}</th>
            <td data-de="Guías" class="numero">
              {day.Guias}
            </td>
            <td data-de="Entregadas" class="numero">
              {day.Entregadas}
            </td>
            <td data-de="Canceladas" class="numero">
              {day.Canceladas}
            </td>
            <td data-de="Etiquetas" class="numero">
              {day.Etiquetas}
            </td>
            <td data-de="Por las guías" class="numero">
              {pesos(owedOf(day))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

/** Returns what the guides cost, as the carrier bills them. */
function owedOf({ Total, TotalCanceladas, Ajustes, PorCotizar }: Figures): number {
  return Total - TotalCanceladas + Ajustes + PorCotizar;
}

/** Units of the picture: of a day, of a bar in it, and of its height. */
const DAY_WIDTH = 10;
const BAR_WIDTH = 8;
const HEIGHT = 60;

/** Bars of the guides by day. The table below says the same in numbers. */
function Chart({ days }: { days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ Guias }) => Guias));
  const [busiest] = days.toSorted((one, other) => other.Guias - one.Guias);
  const words =
    busiest && busiest.Guias > 0
      ? `Guías por día; el ${dayWords(busiest.Fecha)} fueron más: ${busiest.Guias}`
      : 'Guías por día; ninguna todavía';
  return (
    <figure class="barras">
      <svg
        viewBox={`0 0 ${Math.max(days.length, 1) * DAY_WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={words}
        preserveAspectRatio="none"
      >
        {days.map(({ Fecha, Guias }, i) => {
          const height = (Guias / most) * HEIGHT;
          return (
            <rect key={Fecha} x={i * DAY_WIDTH + 1} y={HEIGHT - height} width={BAR_WIDTH} height={height}>
              <title>
                {dayWords(Fecha)}: {Guias}
              </title>
            </rect>
          );
        })}
      </svg>
      <figcaption>{words}.</figcaption>
    </figure>
  );
}

function Export({ month }: { month: string }) {
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setProblem(undefined);
    const answer = await askBlob({
      method: 'GET',
      path: '/api/uso/csv',
      query: { mes: month },
      accept: 'text/csv',
    });
    setBusy(false);
    if (answer.ok) saveFile({ blob: answer.data, name: `uso-${month}.csv` });
    else setProblem(answer.problem);
  };
  return (
    <>
      {problem && <ProblemMessage problem={problem} />}
      <Button quiet busy={isBusy} onClick={save}>
        Descargar en CSV
      </Button>
    </>
  );
}
