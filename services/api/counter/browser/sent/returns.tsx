import { addressOf } from '../shell/route.ts';
import { Listed, Table } from './listed.tsx';
import { usePages } from './pages-of.ts';
import { State } from './state.tsx';
import { momentWords } from './words.ts';

type Row = {
  SEND_GUIA: string;
  SEND_ESTATUS: string;
  SEND_FECHA: string;
  SEND_REMITENTE: string;
  DevolucionDe: string;
  Aviso?: 'anticipada_sin_entrega';
};

/** The guides with which parcels come back. */
export function Returns() {
  const pages = usePages<Row>('/api/devoluciones');
  const empty = (
    <p>
      Nada vuelve. Para hacer una devolución, abra su <a href={addressOf('enviado', 'guias')}>guía</a>.
    </p>
  );
  return (
    <>
      <h1>Devoluciones</h1>
      <Listed pages={pages} empty={empty}>
        {(rows) => (
          <Table
            caption="De la más nueva a la más vieja"
            heads={['Guía', 'Devuelve', 'Quien devuelve', 'Estado', 'Creada']}
          >
            {rows.map((row) => (
              <tr key={row.SEND_GUIA}>
                <th scope="row">
                  <a href={addressOf('enviado', 'guias', row.SEND_GUIA)}>{row.SEND_GUIA}</a>
                </th>
                <td data-de="Devuelve">
                  <a href={addressOf('enviado', 'guias', row.DevolucionDe)}>{row.DevolucionDe}</a>
                </td>
                <td data-de="Quien devuelve">{row.SEND_REMITENTE}</td>
                <td data-de="Estado">
                  <State status={row.SEND_ESTATUS} />
                  {row.Aviso && <span class="atencion"> Ya viene, y su guía no se ha entregado</span>}
                </td>
                <td data-de="Creada">{momentWords(row.SEND_FECHA)}</td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}
