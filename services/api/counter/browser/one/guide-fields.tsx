import { useEffect, useRef, useState } from 'preact/hooks';
import { arrivalWords } from '../../../http/public-pages/arrival.ts';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem, Message } from '../ui/message.tsx';
import { pesos, serviceName } from '../ui/words.ts';
import type { CreatedGuide } from './created.tsx';
import { type FieldSpec, type GuideForm, guideOf, isComplete, type Values } from './form.ts';
import { PRICED_BY } from './layout.ts';
import { quote, useCheck, useQuote } from './looked-up.ts';
import { SectionFields, saidOf } from './section-fields.tsx';

export function GuideFields(props: {
  form: GuideForm;
  start: Values;
  onChange: (values: Values) => void;
  onCreated: (guide: CreatedGuide, values: Values) => void;
}) {
  const { form, start, onChange, onCreated } = props;
  const may = (permission: string) => session.get()?.permissions.includes(permission) ?? false;
  const [values, setValues] = useState<Values>(start);
  const [service, setService] = useState(form.services[0] ?? '');
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<{ problem: Problem; values: Values }>();
  const [isBusy, setBusy] = useState(false);
  const element = useRef<HTMLFormElement>(null);
  const set = (more: Values) =>
    setValues((former) => {
      const next = { ...former, ...more };
      onChange(next);
      return next;
    });

  const guide = guideOf(form, values);
  const complete =
    isComplete(form, values) && (values['Destinatario.CodigoPostal'] || values['Destinatario.DestinoCode']);
  const checked = useCheck(complete ? { TipoServicio: service, Guia: [guide] } : undefined);
  const isPriced = may('guias.quote') && PRICED_BY.every((path) => values[path]);
  const [round, setRound] = useState(0);
  const priced = isPriced && complete ? guide : undefined;
  const { options, problem: noPrice, isCurrent } = useQuote(priced, round);

  useEffect(() => {
    // The next sender is there: the recipient comes.
    const first = start['Remitente.Nombre'] ? 'Destinatario.Nombre' : 'Remitente.Nombre';
    document.getElementById(first)?.focus();
  }, [start]);

  /** What was sent with a key and may have been stored: a second try of the same is a repeat. */
  const unknown = useRef<{ of: string; key: string; body: unknown } | undefined>(undefined);
  const create = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const of = JSON.stringify([service, guide]);
    if (unknown.current?.of !== of) {
      const found = isCurrent || !priced ? options : (await quote(priced)).options;
      const quoted = found.find(({ TipoServicio }) => TipoServicio === service);
      const sent = quoted && priced ? { ...guide, Cotizacion: quoted.Cotizacion } : guide;
      const body = { TipoServicio: service, Guia: [sent] };
      unknown.current = { of, key: `mostrador-${randomText()}`, body };
    }
    const { key, body } = unknown.current;
    const answer = await ask<CreatedGuide[]>({ method: 'POST', path: '/api/guias/crear', key, body });
    setBusy(false);
    const [created] = answer.ok ? answer.data : [];
    if (created) return onCreated(created, values);
    if (answer.ok) return;
    setRefused({ problem: answer.problem, values });
    // A refusal stores nothing, and may be one of the quote.
    if (answer.status >= 400 && answer.status < 500) {
      unknown.current = undefined;
      setRound(round + 1);
    }
  };
  useEffect(() => {
    if (refused) element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [refused]);

  const said = refused && refused.values === values ? (refused.problem.errors ?? []) : [];
  const told = {
    problem: ({ path, name }: FieldSpec) =>
      saidOf(path, said) ??
      (name === 'CodigoPostal' && left.has(path) && /^[0-9]{1,4}$/.test(values[path] ?? '')
        ? { text: 'Debe tener 5 dígitos' }
        : undefined) ??
      (left.has(path) || refused ? saidOf(path, checked.problems) : undefined),
    warning: ({ path }: FieldSpec) => saidOf(path, checked.warnings),
  };
  const known = form.sections.flatMap(({ fields }) => fields.map(({ path }) => path));
  const sections = form.sections.filter(({ name }) => name !== 'Cobro' || may('guias.cobro'));
  return (
    <form
      ref={element}
      class="una"
      onSubmit={create}
      onKeyDown={goOn}
      onFocusOut={({ target }) => {
        const { id } = target as HTMLElement;
        if (id !== '' && values[id]) setLeft((former) => new Set(former).add(id));
      }}
      noValidate
    >
      <div class="guia">
        {sections.map((section) => (
          <SectionFields key={section.name} section={section} values={values} onValues={set} told={told} />
        ))}
      </div>
      <div class="guia cierre">
        <fieldset>
          <legend>Servicio</legend>
          {form.services.map((each) => {
            const option = options.find(({ TipoServicio }) => TipoServicio === each);
            return (
              <label key={each} class="servicio">
                <input
                  type="radio"
                  name="servicio"
                  checked={each === service}
                  onChange={() => setService(each)}
                />
                <span>
                  {serviceName(each)}
                  {option && <strong> {pesos(option.SEND_TOTAL)}</strong>}
                  {option?.EntregaEstimada && <small> {arrivalWords(option.EntregaEstimada)}</small>}
                </span>
              </label>
            );
          })}
          {noPrice && !noPrice.errors && <Message kind="warning">Sin precio: {noPrice.message}</Message>}
        </fieldset>
        {refused?.values === values && (
          <FormProblem problem={refused.problem} isMarked={(campo) => known.includes(campo)} />
        )}
        <Button type="submit" busy={isBusy}>
          {isBusy ? 'Creando…' : 'Crear e imprimir'}
        </Button>
      </div>
    </form>
  );
}

/** Enter goes to the next field, as people and scanners expect it, and from the last one to the button. */
function goOn(event: KeyboardEvent): void {
  const { target, currentTarget } = event;
  if (event.key !== 'Enter' || !(target instanceof HTMLInputElement || target instanceof HTMLSelectElement))
    return;
  event.preventDefault();
  const controls = [
    ...(currentTarget as HTMLElement).querySelectorAll<HTMLElement>('input, select, button[type=submit]'),
  ];
  const shown = controls.filter((control) => control.checkVisibility());
  shown[shown.indexOf(target) + 1]?.focus();
}

function randomText(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
