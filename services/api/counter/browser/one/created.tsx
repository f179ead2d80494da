import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Message } from '../ui/message.tsx';
import { PrintLabels } from '../ui/print-labels.tsx';
import { pesos } from '../ui/words.ts';
import type { CreatedGuide } from './creation.ts';

/** A guide that was just created, whose label goes to the printer at once. */
export function Created(props: { guide: CreatedGuide; onSameSender: () => void; onBlank: () => void }) {
  const { guide, onSameSender, onBlank } = props;
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => next.current?.focus(), []);
  return (
    <section class="hecha" aria-label="La guía creada">
      <Message kind="good">
        Guía <strong>{guide.SEND_GUIA}</strong> creada para {guide.SEND_DESTINATARIO}
        {guide.SEND_TOTAL > 0 && `, ${pesos(guide.SEND_TOTAL)}`}.
      </Message>
      <p class="acciones">
        <button type="button" ref={next} onClick={onSameSender}>
          Otra con el mismo remitente
        </button>
        <Button quiet onClick={onBlank}>
          Otra en blanco
        </Button>
      </p>
      <PrintLabels guides={[guide.SEND_GUIA]} atOnce />
    </section>
  );
}
