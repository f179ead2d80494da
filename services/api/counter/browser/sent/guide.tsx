import { type FeedType, STATES, wordsOf } from '#shared/guides/event-types.ts';
import { REASONS } from '#shared/tracking/reasons.ts';
import { arrivalWords } from '../../../http/public-pages/arrival.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { CopyLink } from '../ui/copy-link.tsx';
import { FileShown } from '../ui/file-shown.tsx';
import { ProblemMessage } from '../ui/message.tsx';
import { PrintLabels } from '../ui/print-labels.tsx';
import { pesos } from '../ui/words.ts';
import { Cancel } from './cancel.tsx';
import type { CompleteGuide, Person } from './complete-guide.ts';
import { Fact, Failed } from './listed.tsx';
import { may } from './may.ts';
import { useOne } from './pages-of.ts';
import { ReturnOf } from './return-of.tsx';
import { State } from './state.tsx';
import { useFile } from './use-file.ts';
import { countWords, momentWords } from './words.ts';

type Event = {
  Id: string;
  Tipo: FeedType;
  Ocurrido: string;
  Sucursal?: string;
  Paquete?: number;
  Motivo?: keyof typeof REASONS;
  Recibe?: string;
  Peso?: number;
  Imagen?: string;
  Cobrado?: { Monto: number; Medio: string };
  Anulado: boolean;
};

/** One guide: what happened to it, and what can be done with it. */
export function Guide({ number }: { number: string }) {
  const { data: guide, problem, again } = useOne<CompleteGuide>(`/api/guias/${encodeURIComponent(number)}`);
  if (problem) {
    return (
      <>
        <Back />
        <h1>Guía {number}</h1>
        <Failed problem={problem} again={again} />
      </>
    );
  }
  if (!guide) return <p role="status">Cargando…</p>;
  return <Loaded guide={guide} again={again} />;
}

function Loaded({ guide, again }: { guide: CompleteGuide; again: () => void }) {
  const { SEND_GUIA, SEND_ESTATUS, Producto } = guide;
  const isCancelled = SEND_ESTATUS === 'Cancelado';
  return (
    <>
      <Back />
      <h1>Guía {SEND_GUIA}</h1>
      <p>
        <State status={SEND_ESTATUS} /> {STATES[SEND_ESTATUS as keyof typeof STATES]?.sentence}
      </p>
      <dl class="datos">
        {guide.Referencia !== undefined && <Fact name="Referencia">{guide.Referencia}</Fact>}
        <Fact name="Para">
          <Address of={guide.Destinatario} />
        </Fact>
        <Fact name="De">
          <Address of={guide.Remitente} />
        </Fact>
        <Fact name="Sucursales">
          {guide.SEND_SUCU_ORIG} → {guide.SEND_SUCU_DEST}
        </Fact>
        <Fact name="Contenido">
          {Producto.Contenido}
          {Producto.Paquetes !== undefined && ` · ${countWords(Producto.Paquetes, 'paquete')}`}
          {Producto.Peso !== undefined && ` · ${Producto.Peso} kg`}
        </Fact>
        <Fact name="Creada">{momentWords(guide.SEND_FECHA)}</Fact>
        {guide.EntregaEstimada && STATES[SEND_ESTATUS as keyof typeof STATES]?.look === 'normal' && (
          <Fact name="Según su cotización">{arrivalWords(guide.EntregaEstimada)}</Fact>
        )}
        {guide.SEND_TOTAL > 0 && !isCancelled && <Fact name="Precio">{pesos(guide.SEND_TOTAL)}</Fact>}
        {guide.Cobro && <Fact name="Se cobra al entregar">{pesos(guide.Cobro.Monto)}</Fact>}
        {guide.Devolucion !== undefined && (
          <Fact name="Vuelve con">
            <a href={addressOf('enviado', 'guias', guide.Devolucion)}>{guide.Devolucion}</a>
          </Fact>
        )}
        {guide.DevolucionDe !== undefined && (
          <Fact name="Es la devolución de">
            <a href={addressOf('enviado', 'guias', guide.DevolucionDe)}>{guide.DevolucionDe}</a>
          </Fact>
        )}
      </dl>
      <Events guide={guide} />
      <section>
        <h2>Para quien recibe</h2>
        <CopyLink
          id="rastreo"
          label="Página de rastreo"
          link={trackingAddress(SEND_GUIA)}
          hint="Quien la abre ve por dónde va el paquete, sin nombres ni domicilios."
        />
      </section>
      {!isCancelled && (
        <section>
          <h2>Etiqueta</h2>
          <PrintLabels guides={[SEND_GUIA]} />
        </section>
      )}
      {SEND_ESTATUS === 'Entregado' && <Proof number={SEND_GUIA} />}
      {may('guias.create') && !isCancelled && guide.DevolucionDe === undefined && (
        <ReturnOf guide={guide} onChange={again} />
      )}
      {may('guias.cancel') && SEND_ESTATUS === 'Documentado' && (
        <section>
          <h2>Cancelar</h2>
          <Cancel
            what="la guía"
            question={`¿Cancelar la guía ${SEND_GUIA}?`}
            path="/api/guias"
            number={SEND_GUIA}
            onDone={again}
          >
            El envío ya no se hará y su etiqueta deja de servir. No se puede deshacer: para enviarlo, cree
            otra guía. Si está en un manifiesto, sale ahí como cancelada.
          </Cancel>
        </section>
      )}
    </>
  );
}

function Back() {
  return (
    <p>
      <a href={addressOf('enviado', 'guias')}>← Todas las guías</a>
    </p>
  );
}

/** Returns where anybody follows a guide: as the carrier says, else at this service. */
function trackingAddress(number: string): string {
  const pattern = document.getElementById('mostrador')?.dataset.rastreo ?? '';
  return new URL(pattern.replace('{guia}', number), location.origin).href;
}

function Address({ of: person }: { of: Person }) {
  const street = [person.Calle, person.Numero_exterior, person.Numero_interior].filter(Boolean).join(' ');
  const place = [person.Colonia, person.CodigoPostal, person.Municipio, person.Estado]
    .filter(Boolean)
    .join(', ');
  return (
    <>
      {[person.Nombre, street, place, person.Celular ?? person.Telefono].filter(Boolean).map((line) => (
        <span key={line} class="renglon">
          {line}
        </span>
      ))}
    </>
  );
}

function Events({ guide }: { guide: CompleteGuide }) {
  const { data: events, problem } = useOne<Event[]>(`/api/guias/${guide.SEND_GUIA}/eventos`);
  return (
    <section>
      <h2>Qué ha pasado</h2>
      {problem && <ProblemMessage problem={problem} />}
      {!events && !problem && <p role="status">Cargando…</p>}
      {events?.length === 0 && <p>Todavía nada: nadie ha escaneado el paquete.</p>}
      <ol class="historial">
        {events?.toReversed().map((event) => (
          <li key={event.Id} class={event.Anulado ? 'anulado' : undefined}>
            <time dateTime={event.Ocurrido}>{momentWords(event.Ocurrido)}</time>
            <strong>{eventWords(event, guide)}</strong>
            <span>{detailsOf(event)}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function eventWords(event: Event, guide: CompleteGuide): string {
  const { Tipo, Sucursal } = event;
  if (Tipo === 'Anulacion') return 'Se corrigió lo que se había registrado';
  if (Tipo === 'Pesaje') return `Se pesó: ${event.Peso} kg por paquete`;
  if (Tipo === 'Evidencia') return `Hay ${event.Imagen === 'firma' ? 'firma' : 'foto'} de la entrega`;
  const parcel = { service: guide.TipoServicio, destination: { code: guide.SEND_SUCU_DEST } };
  // A type of a later release has no words yet.
  if (Tipo !== 'Cancelacion' && !(Tipo in STATES)) return Tipo;
  const state = wordsOf({ Tipo, ...(Sucursal !== undefined && { Sucursal }) }, parcel);
  return state.event ?? state.title;
}

function detailsOf({ Motivo, Recibe, Sucursal, Paquete, Cobrado, Anulado }: Event): string {
  const details = [
    Motivo && (REASONS[Motivo] ?? Motivo),
    Recibe && `Recibió ${Recibe}`,
    Sucursal && `Sucursal ${Sucursal}`,
    Paquete && `Paquete ${Paquete}`,
    Cobrado && `Se cobró ${pesos(Cobrado.Monto)}, ${Cobrado.Medio}`,
    Anulado && 'Fue un error, y no cuenta',
  ];
  return details.filter(Boolean).join('. ');
}

/** The proof of delivery as PDF, with the signature and the photos that there are. */
function Proof({ number }: { number: string }) {
  const { file, problem, isBusy, show } = useFile(
    `/api/guias/${number}/comprobante`,
    `comprobante-${number}.pdf`,
  );
  return (
    <section>
      <h2>Comprobante de entrega</h2>
      <p>Cuándo, dónde y quién recibió, con la firma y las fotos que haya.</p>
      {problem && <ProblemMessage problem={problem} />}
      <Button quiet busy={isBusy} onClick={show}>
        {isBusy ? 'Preparando…' : 'Ver el comprobante'}
      </Button>
      {file && <FileShown file={file} />}
    </section>
  );
}
