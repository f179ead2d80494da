import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { addressOf } from '../shell/route.ts';
import { Button } from '../ui/button.tsx';
import { CopyLink } from '../ui/copy-link.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemMessage } from '../ui/message.tsx';
import { pesos } from '../ui/words.ts';
import type { CompleteGuide } from './complete-guide.ts';
import { may } from './may.ts';
import { deadlineWords, momentWords } from './words.ts';

/** Why it goes back, as the API takes it. */
const REASONS = [
  { name: '', text: 'Sin decirlo' },
  { name: 'equivocado', text: 'Llegó lo que no era' },
  { name: 'danado', text: 'Llegó dañado' },
  { name: 'defectuoso', text: 'No funciona' },
  { name: 'cambio', text: 'Es un cambio' },
  { name: 'no_lo_quiere', text: 'Ya no lo quiere' },
  { name: 'garantia', text: 'Por garantía' },
  { name: 'otro', text: 'Por otro motivo' },
] as const;

type Option = { SEND_TOTAL: number; Cotizacion: string; Vence: string };
type Quote = { SEND_SUCU_ORIG: string; SEND_SUCU_DEST: string; Opciones: Option[] };

/** The return of a guide: its price, its guide, and the link with which a person prints it. */
export function ReturnOf({ guide, onChange }: { guide: CompleteGuide; onChange: () => void }) {
  return (
    <section>
      <h2>Devolución</h2>
      {guide.Devolucion === undefined ? (
        <NewReturn guide={guide} onChange={onChange} />
      ) : (
        <>
          <p>
            El paquete vuelve con la guía{' '}
            <a href={addressOf('enviado', 'guias', guide.Devolucion)}>{guide.Devolucion}</a>: imprima ahí su
            etiqueta, o mande un enlace a quien devuelve.
          </p>
          <ReturnLink number={guide.SEND_GUIA} />
        </>
      )}
    </section>
  );
}

function NewReturn({ guide, onChange }: { guide: CompleteGuide; onChange: () => void }) {
  const [reason, setReason] = useState('');
  const [quote, setQuote] = useState<Quote>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  // A form that is sent twice makes one return.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const path = `/api/guias/${guide.SEND_GUIA}/devolucion`;
  const isEarly = guide.SEND_ESTATUS !== 'Entregado';
  const option = quote?.Opciones[0];

  const price = async () => {
    setBusy(true);
    setProblem(undefined);
    const answer = await ask<Quote>({ method: 'POST', path: `${path}/cotizar`, body: {} });
    setBusy(false);
    if (answer.ok) setQuote(answer.data);
    else setProblem(answer.problem);
  };
  const create = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(undefined);
    const body = {
      ...(reason !== '' && { Motivo: reason }),
      ...(isEarly && { Anticipada: true }),
      ...(option && { Cotizacion: option.Cotizacion }),
    };
    const answer = await ask({ method: 'POST', path, body, key });
    setBusy(false);
    if (answer.ok) onChange();
    else {
      setProblem(answer.problem);
      setQuote(undefined);
      setKey(crypto.randomUUID());
    }
  };
  return (
    <form onSubmit={create}>
      <p>
        {isEarly
          ? 'Todavía no se entrega: la devolución es anticipada, para mandar su etiqueta dentro de la caja.'
          : 'El paquete vuelve de donde se entregó al domicilio del remitente.'}{' '}
        Se cobra solo si alguien la escanea.
      </p>
      <Field id="motivo" label="Por qué vuelve">
        {(attributes) => (
          <select
            {...attributes}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
          >
            {REASONS.map(({ name, text }) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      {option && (
        <p role="status">
          Cuesta <strong>{pesos(option.SEND_TOTAL)}</strong>, de {quote?.SEND_SUCU_ORIG} a{' '}
          {quote?.SEND_SUCU_DEST}. El precio vale hasta el {deadlineWords(option.Vence)}.
        </p>
      )}
      {problem && <ProblemMessage problem={problem} />}
      <p class="acciones">
        <Button type="submit" busy={isBusy}>
          Crear la devolución
        </Button>
        {may('guias.quote') && !option && (
          <Button quiet busy={isBusy} onClick={price}>
            Ver cuánto cuesta
          </Button>
        )}
      </p>
    </form>
  );
}

/** Makes the link. The service shows it once, and a new one ends the one before. */
function ReturnLink({ number }: { number: string }) {
  const [link, setLink] = useState<{ Enlace: string; Vence: string }>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const make = async () => {
    setBusy(true);
    setProblem(undefined);
    const path = `/api/guias/${number}/devolucion/enlace`;
    const answer = await ask<{ Enlace: string; Vence: string }>({ method: 'POST', path });
    setBusy(false);
    if (answer.ok) setLink(answer.data);
    else setProblem(answer.problem);
  };
  return (
    <>
      {link && (
        <CopyLink
          id="enlace"
          label="Enlace"
          link={link.Enlace}
          hint={`Sirve hasta el ${momentWords(link.Vence)}. Quien lo tiene ve los domicilios de la etiqueta.`}
        />
      )}
      {problem && <ProblemMessage problem={problem} />}
      <Button quiet busy={isBusy} onClick={make}>
        {link ? 'Hacer otro enlace' : 'Hacer un enlace'}
      </Button>
      <p class="ayuda">Un enlace nuevo termina el anterior.</p>
    </>
  );
}
