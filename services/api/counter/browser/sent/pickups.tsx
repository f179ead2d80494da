import type { ComponentProps } from 'preact';
import { addressOf } from '../shell/route.ts';
import { Cancel } from './cancel.tsx';
import { Failed, Listed, Table } from './listed.tsx';
import { may } from './may.ts';
import { useOne, usePages } from './pages-of.ts';
import { PickupForm, type PickupPlace } from './pickup-form.tsx';
import { State } from './state.tsx';
import { countWords, dayWords, deadlineWords, momentWords } from './words.ts';

type Status = 'Solicitada' | 'Programada' | 'Recolectada' | 'Fallida' | 'Cancelada';
type Row = {
  Recoleccion: string;
  Fecha: string;
  Sucursal: string;
  Ventana: { Fecha: string; Desde: string; Hasta: string };
  SolicitarAntesDe: string;
  Estado: Status;
  Motivo?: string;
  Paquetes: number;
  Manifiesto?: string;
};
type Complete = Row & {
  Direccion: Readonly<Record<string, string | undefined>>;
  Notas?: string;
  Historial: { Estado: Status; Motivo?: string; Ocurrido: string }[];
  Detalle: { SEND_GUIA: string; SEND_ESTATUS?: string }[];
};

const LOOKS: Readonly<Record<Status, string>> = {
  Solicitada: 'normal',
  Programada: 'normal',
  Recolectada: 'bien',
  Fallida: 'atencion',
  Cancelada: 'fin',
};
const REASONS: Readonly<Record<string, string>> = {
  nadie_atendio: 'nadie atendió',
  cerrado: 'estaba cerrado',
  direccion_incorrecta: 'la dirección está mal',
  paquetes_no_listos: 'los paquetes no estaban listos',
  no_caben: 'no cabían',
  sin_vehiculo: 'no hubo vehículo',
  otro: 'por otro motivo',
  sin_noticias: 'nadie dijo qué pasó',
  cliente: 'a petición suya',
  transportista: 'la canceló el transportista',
  sin_guias: 'se cancelaron sus guías',
};
/** Stands before the number of a manifest, in the address of a new pick-up for it. */
const FOR_MANIFEST = 'para-';

function PickupState({ of: { Estado, Motivo } }: { of: Pick<Row, 'Estado' | 'Motivo'> }) {
  return (
    <span class={`estado ${LOOKS[Estado] ?? 'normal'}`}>
      {Estado}
      {Motivo !== undefined && `: ${REASONS[Motivo] ?? Motivo}`}
    </span>
  );
}

/** Returns the pick-up of a manifest that is asked for and not over, if there is one. */
export function usePickupOf(manifest: string): { Recoleccion: string; when: string } | undefined {
  const { rows } = usePages<Row>('/api/recolecciones');
  const found = rows.find((row) => row.Manifiesto === manifest && isOpen(row));
  return found && { Recoleccion: found.Recoleccion, when: windowWords(found.Ventana) };
}

function isOpen({ Estado }: Pick<Row, 'Estado'>): boolean {
  return Estado === 'Solicitada' || Estado === 'Programada';
}

function windowWords({ Fecha, Desde, Hasta }: Row['Ventana']): string {
  return `${dayWords(Fecha)}, de ${Desde} a ${Hasta}`;
}

/** When the carrier comes. */
export function Pickups() {
  const pages = usePages<Row>('/api/recolecciones');
  return (
    <>
      <h1>Recolecciones</h1>
      <p>
        Pida que pasen por sus paquetes. Lo de un manifiesto se pide en{' '}
        <a href={addressOf('enviado', 'manifiestos')}>su página</a>, que llena lo demás.
      </p>
      {may('guias.create') && (
        <p class="acciones">
          <a class="boton" href={addressOf('enviado', 'recolecciones', 'nueva')}>
            Pedir una recolección
          </a>
        </p>
      )}
      <Listed pages={pages} empty={<p>Todavía no pide ninguna.</p>}>
        {(rows) => (
          <Table
            caption="De la más nueva a la más vieja"
            heads={['Recolección', 'Cuándo', 'Sucursal', 'Paquetes', 'Estado']}
          >
            {rows.map((row) => (
              <tr key={row.Recoleccion}>
                <th scope="row">
                  <a href={addressOf('enviado', 'recolecciones', row.Recoleccion)}>{row.Recoleccion}</a>
                </th>
                <td data-de="Cuándo">{windowWords(row.Ventana)}</td>
                <td data-de="Sucursal">{row.Sucursal}</td>
                <td data-de="Paquetes" class="numero">
                  {row.Paquetes}
                </td>
                <td data-de="Estado">
                  <PickupState of={row} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Listed>
    </>
  );
}

/** A pick-up, or the form for a new one. */
export function Pickup({ number }: { number: string }) {
  if (number === 'nueva') return <NewPickup />;
  if (number.startsWith(FOR_MANIFEST)) return <PickupOfManifest number={number.slice(FOR_MANIFEST.length)} />;
  return <Known number={number} />;
}

function NewPickup(of: Omit<ComponentProps<typeof PickupForm>, 'onDone'>) {
  return (
    <>
      <h1>Pedir una recolección</h1>
      {of.of && 'Manifiesto' in of.of && <p>De las guías del manifiesto {of.of.Manifiesto}.</p>}
      <PickupForm
        {...of}
        onDone={(made) => {
          location.hash = addressOf('enviado', 'recolecciones', made);
        }}
      />
    </>
  );
}

/** Fills in how many packages the manifest has, and the address of the sender of its first guide. */
function PickupOfManifest({ number }: { number: string }) {
  const manifest = useOne<{ Paquetes: number; Detalle: { SEND_GUIA: string }[] }>(
    `/api/manifiestos/${encodeURIComponent(number)}`,
  );
  const first = manifest.data?.Detalle[0]?.SEND_GUIA;
  const guide = useOne<{ Remitente: PickupPlace }>(first && `/api/guias/${first}`);
  const { problem = guide.problem, again } = manifest;
  if (problem) return <Failed problem={problem} again={again} />;
  if (!manifest.data || !guide.data) return <p role="status">Cargando…</p>;
  return (
    <NewPickup of={{ Manifiesto: number }} packages={manifest.data.Paquetes} place={guide.data.Remitente} />
  );
}

function Known({ number }: { number: string }) {
  const { data, problem, again } = useOne<Complete>(`/api/recolecciones/${encodeURIComponent(number)}`);
  return (
    <>
      <h1>Recolección {number}</h1>
      {problem && <Failed problem={problem} again={again} />}
      {!data && !problem && <p role="status">Cargando…</p>}
      {data && (
        <>
          <p>
            <PickupState of={data} /> {windowWords(data.Ventana)}, {countWords(data.Paquetes, 'paquete')},
            sucursal {data.Sucursal}.
          </p>
          <p>
            {[
              data.Direccion.Nombre,
              data.Direccion.Calle,
              data.Direccion.Numero_exterior,
              data.Direccion.Colonia,
            ]
              .concat(data.Direccion.CodigoPostal, data.Direccion.Municipio, data.Direccion.Celular)
              .filter(Boolean)
              .join(', ')}
          </p>
          {data.Notas !== undefined && <p>{data.Notas}</p>}
          {data.Manifiesto !== undefined && (
            <p>
              De <a href={addressOf('enviado', 'manifiestos', data.Manifiesto)}>{data.Manifiesto}</a>
            </p>
          )}
          <h2>Qué ha pasado</h2>
          <ol class="historial">
            {data.Historial.toReversed().map((entry) => (
              <li key={`${entry.Estado} ${entry.Ocurrido}`}>
                <time dateTime={entry.Ocurrido}>{momentWords(entry.Ocurrido)}</time>
                <PickupState of={entry} />
              </li>
            ))}
          </ol>
          {data.Detalle.length > 0 && (
            <Table caption="Sus guías" heads={['Guía', 'Estado']}>
              {data.Detalle.map((guide) => (
                <tr key={guide.SEND_GUIA}>
                  <th scope="row">
                    <a href={addressOf('enviado', 'guias', guide.SEND_GUIA)}>{guide.SEND_GUIA}</a>
                  </th>
                  <td data-de="Estado">{guide.SEND_ESTATUS && <State status={guide.SEND_ESTATUS} />}</td>
                </tr>
              ))}
            </Table>
          )}
          {isOpen(data) && may('guias.create') && (
            <Cancel
              what="la recolección"
              question="¿Cancelar la recolección?"
              path="/api/recolecciones"
              number={data.Recoleccion}
              onDone={again}
            >
              Nadie pasará. Sus guías quedan como están, y pueden ir en otra. Se puede hasta el{' '}
              {deadlineWords(data.SolicitarAntesDe)}.
            </Cancel>
          )}
        </>
      )}
    </>
  );
}
