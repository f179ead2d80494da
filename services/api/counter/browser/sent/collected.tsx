import { addressOf } from '../shell/route.ts';
import { pesos } from '../ui/words.ts';
import { Failed, Listed, Table } from './listed.tsx';
import { useOne, usePages } from './pages-of.ts';
import { State } from './state.tsx';
import { momentWords } from './words.ts';

type Row = {
  SEND_GUIA: string;
  SEND_ESTATUS: string;
  Referencia?: string;
  Cobro: number;
  Cobrado: number;
  Diferencia?: { Tipo: 'falta' | 'sobra' | 'sin_cobro' | 'devuelta'; Importe: number };
};
type Remittance = {
  Liquidacion: string;
  Fecha: string;
  Importe: number;
  Movimientos: number;
  Estado: 'pagada' | 'anulada';
};
type CompleteRemittance = Remittance & {
  Detalle: { SEND_GUIA: string; Id: string; Importe: number; Medio: string; Registrado: string }[];
};
/** Movements of one page, the most that the API gives. */
const MOST = 500;
const DIFFERENCES = {
  falta: 'se cobró de menos',
  sobra: 'se cobró de más',
  sin_cobro: 'se entregó sin cobrar',
  devuelta: 'se cobró, y la guía se devolvió',
};

/** What was collected on delivery, and what the carrier has paid of it. */
export function Collected() {
  const collected = usePages<Row>('/api/cobros');
  const remittances = usePages<Remittance>('/api/liquidaciones');
  const owed = collected.beside?.porLiquidar;
  return (
    <>
      <h1>Cobros</h1>
      {typeof owed === 'number' && (
        <p>
          Por pagarle: <strong>{pesos(owed)}</strong>
        </p>
      )}
      <Listed pages={collected} empty={<p>Nada se ha cobrado todavía. Pida el cobro al crear la guía.</p>}>
        {(rows) => (
          <Table
            caption="Lo que se cobró al entregar"
            heads={['Guía', 'Referencia', 'Estado', 'Por cobrar', 'Cobrado', 'Diferencia']}
          >
            {rows.map((row) => (
              <tr key={row.SEND_GUIA}>
                <th scope="row">
                  <a href={addressOf('enviado', 'guias', row.SEND_GUIA)}>{row.SEND_GUIA}</a>
                </th>
                <td data-de="Referencia">{row.Referencia}</td>
                <td data-de="Estado">
                  <State status={row.SEND_ESTATUS} />
                </td>
                <td data-de="Por cobrar" class="numero">
                  {pesos(row.Cobro)}
                </td>
                <td data-de="Cobrado" class="numero">
                  {pesos(row.Cobrado)}
                </td>
                <td data-de="Diferencia">
                  {row.Diferencia && (
                    <span class="atencion">
                      {pesos(row.Diferencia.Importe)}:{' '}
                      {DIFFERENCES[row.Diferencia.Tipo] ?? row.Diferencia.Tipo}
                    </span>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
      <h2>Lo que se le ha pagado</h2>
      <Listed pages={remittances} empty={<p>Todavía no hay liquidaciones.</p>}>
        {(rows) => (
          <Table
            caption="De la más nueva a la más vieja"
            heads={['Liquidación', 'Hecha', 'Importe', 'Movimientos', 'Estado']}
          >
            {rows.map((row) => (
              <tr key={row.Liquidacion}>
                <th scope="row">
                  <a href={addressOf('enviado', 'cobros', row.Liquidacion)}>{row.Liquidacion}</a>
                </th>
                <td data-de="Hecha">{momentWords(row.Fecha)}</td>
                <td data-de="Importe" class="numero">
                  {pesos(row.Importe)}
                </td>
                <td data-de="Movimientos" class="numero">
                  {row.Movimientos}
                </td>
                <td data-de="Estado">
                  <RemittanceState of={row} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

function RemittanceState({ of: { Estado } }: { of: Pick<Remittance, 'Estado'> }) {
  return <span class={`estado ${Estado === 'pagada' ? 'bien' : 'fin'}`}>{Estado}</span>;
}

/** One payment of the carrier, with what it pays. */
export function PaidRemittance({ number }: { number: string }) {
  const path = `/api/liquidaciones/${encodeURIComponent(number)}`;
  const { data, problem, again } = useOne<CompleteRemittance>(path, { limite: String(MOST) });
  return (
    <>
      <h1>Liquidación {number}</h1>
      {problem && <Failed problem={problem} again={again} />}
      {!data && !problem && <p role="status">Cargando…</p>}
      {data && (
        <>
          <p>
            <RemittanceState of={data} /> {pesos(data.Importe)}, {momentWords(data.Fecha)}.
          </p>
          {data.Movimientos > data.Detalle.length && (
            <p>
              Se muestran {data.Detalle.length} de {data.Movimientos} movimientos.
            </p>
          )}
          <Table caption="Lo que paga" heads={['Guía', 'Importe', 'Medio', 'Registrado']}>
            {data.Detalle.map((movement) => (
              <tr key={`${movement.SEND_GUIA} ${movement.Id} ${movement.Importe}`}>
                <th scope="row">
                  <a href={addressOf('enviado', 'guias', movement.SEND_GUIA)}>{movement.SEND_GUIA}</a>
                </th>
                <td data-de="Importe" class="numero">
                  {pesos(movement.Importe)}
                </td>
                <td data-de="Medio">{movement.Medio}</td>
                <td data-de="Registrado">{momentWords(movement.Registrado)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
    </>
  );
}
