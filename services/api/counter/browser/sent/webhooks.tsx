import { Listed, Table } from './listed.tsx';
import { usePages } from './pages-of.ts';
import { momentWords } from './words.ts';

type Row = {
  Id: string;
  Url: string;
  Descripcion: string;
  Activo: boolean;
  Pendientes: number;
  UltimoExito: string | null;
  UltimoFallo: { Ocurrido: string; Motivo: string } | null;
};

/** Where the account's events are sent, to look at alone: whoever has a program changes them with it. */
export function Webhooks() {
  const pages = usePages<Row>('/api/webhooks');
  return (
    <>
      <h1>Webhooks</h1>
      <p>Los programas de su tienda a los que se avisa cuando algo pasa con una guía. Aquí solo se ven.</p>
      <Listed pages={pages} empty={<p>No hay ninguno. Los registra quien programa para usted.</p>}>
        {(rows) => (
          <Table
            caption="Los de la cuenta"
            heads={['Dirección', 'Estado', 'Pendientes', 'Último éxito', 'Último fallo']}
          >
            {rows.map((row) => (
              <tr key={row.Id}>
                <th scope="row" class="largo">
                  {row.Url}
                  {row.Descripcion !== '' && <small> {row.Descripcion}</small>}
                </th>
                <td data-de="Estado">
                  <span class={`estado ${row.Activo ? 'bien' : 'atencion'}`}>
                    {row.Activo ? 'Activo' : 'Apagado'}
                  </span>
                </td>
                <td data-de="Pendientes" class="numero">
                  {row.Pendientes}
                </td>
                <td data-de="Último éxito">{row.UltimoExito && momentWords(row.UltimoExito)}</td>
                <td data-de="Último fallo">
                  {row.UltimoFallo && `${momentWords(row.UltimoFallo.Ocurrido)}: ${row.UltimoFallo.Motivo}`}
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}
