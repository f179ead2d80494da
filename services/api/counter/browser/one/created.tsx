import { useEffect, useRef, useState } from 'preact/hooks';
import { askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { keep, readKept } from '../kept/kept.ts';
import { Button } from '../ui/button.tsx';
import { Message, ProblemMessage } from '../ui/message.tsx';
import { pesos } from './words.ts';

export type CreatedGuide = { SEND_GUIA: string; SEND_TOTAL: number; SEND_DESTINATARIO: string };

/** The labels by their paths in the API. */
const LABELS = [
  { path: 'etiqueta', name: 'Carta' },
  { path: 'etiqueta-pequena', name: '10 × 10 cm' },
  { path: 'etiqueta-10x15', name: '10 × 15 cm' },
] as const;

/** The label of a guide that was just created, which goes to the printer at once. */
export function Created(props: { guide: CreatedGuide; onSameSender: () => void; onBlank: () => void }) {
  const { guide, onSameSender, onBlank } = props;
  const number = guide.SEND_GUIA;
  const username = session.get()?.username ?? '';
  const [label, setLabel] = useState<string>();
  const [shown, setShown] = useState<{ url?: string; problem?: Problem }>({});
  const frame = useRef<HTMLIFrameElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    next.current?.focus();
    readKept(username, 'printer').then((printer) => setLabel(printer?.label ?? LABELS[0].path));
  }, [username]);
  useEffect(() => {
    if (label === undefined) return;
    const controller = new AbortController();
    let url: string | undefined;
    const path = `/api/guias/${label}/${number}`;
    askBlob({ method: 'GET', path, accept: 'application/pdf', signal: controller.signal }).then((answer) => {
      if (controller.signal.aborted) return;
      if (answer.ok) url = URL.createObjectURL(answer.data);
      setShown(answer.ok ? { url: url as string } : { problem: answer.problem });
    });
    return () => {
      controller.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [label, number]);
  const print = () => frame.current?.contentWindow?.print();
  return (
    <section class="hecha" aria-label="La guía creada">
      <Message kind="good">
        Guía <strong>{number}</strong> creada para {guide.SEND_DESTINATARIO}
        {guide.SEND_TOTAL > 0 && `, ${pesos(guide.SEND_TOTAL)}`}.
      </Message>
      <p class="acciones">
        <button type="button" ref={next} onClick={onSameSender}>
          Otra con el mismo remitente
        </button>
        <Button quiet onClick={onBlank}>
          Otra en blanco
        </Button>
        <Button quiet onClick={print} disabled={shown.url === undefined}>
          Imprimir
        </Button>
        {shown.url !== undefined && (
          <a href={shown.url} target="_blank" rel="noreferrer">
            Abrir
          </a>
        )}
        <label>
          Etiqueta{' '}
          <select
            value={label}
            onChange={({ currentTarget }) => {
              setLabel(currentTarget.value);
              void keep(username, 'printer', { label: currentTarget.value, format: 'pdf' });
            }}
          >
            {LABELS.map(({ path, name }) => (
              <option key={path} value={path}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
      {shown.problem && <ProblemMessage problem={shown.problem} />}
      {shown.url === undefined ? (
        !shown.problem && <p role="status">La etiqueta se imprime…</p>
      ) : (
        <iframe ref={frame} title={`Etiqueta de la guía ${number}`} src={shown.url} onLoad={print} />
      )}
    </section>
  );
}
