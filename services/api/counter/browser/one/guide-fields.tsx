import { useEffect, useRef, useState } from 'preact/hooks';
import { arrivalWords } from '../../../http/public-pages/arrival.ts';
import { session } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { FormProblem, Message } from '../ui/message.tsx';
import { useStore } from '../ui/use-store.ts';
import { pesos, serviceName } from '../ui/words.ts';
import { createGuide, creation, draft } from './creation.ts';
import { type FieldSpec, type GuideForm, guideOf, isComplete, refusalOf, type Values } from './form.ts';
import { PRICED_BY } from './layout.ts';
import { quote, useCheck, useQuote } from './looked-up.ts';
import { SectionFields, saidOf } from './section-fields.tsx';

/** Stands among the values, though it is no field of the guide. */
const SERVICE = 'TipoServicio';

export function GuideFields({ form }: { form: GuideForm }) {
  const may = (permission: string) => session.get()?.permissions.includes(permission) ?? false;
  const values = useStore(draft);
  const { isRunning = false, refused } = useStore(creation);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const element = useRef<HTMLFormElement>(null);
  const service = values[SERVICE] ?? form.services[0] ?? '';
  const set = (more: Values) => draft.set({ ...draft.get(), ...more });

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
    const first = values['Remitente.Nombre'] ? 'Destinatario.Nombre' : 'Remitente.Nombre';
    document.getElementById(first)?.focus();
  }, []);

  const create = (event: Event) => {
    event.preventDefault();
    void createGuide(JSON.stringify([service, guide]), async () => {
      const found = isCurrent || !priced ? options : (await quote(priced)).options;
      const quoted = found.find(({ TipoServicio }) => TipoServicio === service);
      const sent = quoted && priced ? { ...guide, Cotizacion: quoted.Cotizacion } : guide;
      return { TipoServicio: service, Guia: [sent] };
    });
  };
  useEffect(() => {
    if (!refused) return;
    element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
    // The quote may be what was refused.
    setRound((former) => former + 1);
  }, [refused]);

  const said = refused && refused.values === values ? (refused.problem.errors ?? []) : [];
  const told = {
    problem: (field: FieldSpec) => {
      const { path, name } = field;
      const refusal = left.has(path) || refused ? refusalOf(field, values) : undefined;
      if (refusal) return { text: refusal };
      if (name === 'CodigoPostal' && left.has(path) && /^[0-9]{1,4}$/.test(values[path] ?? ''))
        return { text: 'Debe tener 5 dígitos' };
      return saidOf(path, said) ?? (left.has(path) || refused ? saidOf(path, checked.problems) : undefined);
    },
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
                  onChange={() => set({ [SERVICE]: each })}
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
        <Button type="submit" busy={isRunning}>
          {isRunning ? 'Creando…' : 'Crear e imprimir'}
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
