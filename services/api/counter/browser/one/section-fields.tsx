import type { Detail } from '../api/problem.ts';
import { besideField } from '../ui/api-words.ts';
import { Button } from '../ui/button.tsx';
import { Control } from '../ui/control.tsx';
import { Field, type Said } from '../ui/field.tsx';
import type { FieldSpec, Section, Values } from './form.ts';
import { arranged, purposeOf } from './layout.ts';
import { usePlace } from './looked-up.ts';
import { KeepSender, KeptSenders } from './senders.tsx';

/** As a spreadsheet writes `06700`. */
const LOST_ZERO = /^[0-9]{4}$/;

type Told = Record<'problem' | 'warning', (field: FieldSpec) => Said | undefined>;

/** The fields of one section of a guide: those that are usual, and the rest behind a word. A sender is chosen and kept here too. */
export function SectionFields(props: {
  section: Section;
  values: Values;
  onValues: (more: Values) => void;
  told: Told;
}) {
  const { section, values, onValues, told } = props;
  const { name, title } = section;
  const { usual, rest } = arranged(section);
  const hasPostalCode = section.fields.some((field) => field.name === 'CodigoPostal');
  const postalCode = hasPostalCode ? (values[`${name}.CodigoPostal`] ?? '').trim() : '';
  const place = usePlace(postalCode, values, `${name}.`, onValues);
  /** Puts a sender in place of another one, which may have fields that this one lacks. */
  const choose = (sender: Values) => {
    const former = Object.keys(values).filter((path) => path.startsWith(`${name}.`));
    onValues({ ...Object.fromEntries(former.map((path) => [path, ''])), ...sender });
  };
  const control = (field: FieldSpec) => {
    const isColonia = field.name === 'Colonia';
    const isPostalCode = field.name === 'CodigoPostal';
    const missing = isPostalCode ? place.problem : undefined;
    const value = values[field.path] ?? '';
    const problem = told.problem(field);
    return (
      <Field
        key={field.path}
        id={field.path}
        label={field.label}
        isOptional={!(section.required && field.required) && !field.isAlternative}
        purpose={purposeOf(field)}
        hint={field.hint}
        problem={problem}
        warning={told.warning(field) ?? (missing && { text: missing.message, codigo: missing.codigo })}
      >
        {(attributes) => (
          <>
            <Control
              attributes={attributes}
              kind={isPostalCode ? 'integer' : field.kind}
              options={field.options}
              suggestions={isColonia ? (place.place?.Colonias ?? []) : []}
              value={value}
              onValue={(value) => onValues({ [field.path]: value })}
              example={field.example}
              maxLength={field.maxLength}
              required={field.required}
            />
            {isPostalCode && problem && LOST_ZERO.test(value) && (
              <Button quiet onClick={() => onValues({ [field.path]: `0${value}` })}>
                Poner 0{value}
              </Button>
            )}
          </>
        )}
      </Field>
    );
  };
  if (usual.length === 0) {
    return (
      <details class="aparte">
        <summary>{title}</summary>
        <div class="campos">{rest.map(control)}</div>
      </details>
    );
  }
  return (
    <fieldset>
      <legend>{title}</legend>
      {name === 'Remitente' && <KeptSenders onChoose={choose} />}
      <div class="campos">{usual.map(control)}</div>
      {rest.length > 0 && (
        <details>
          <summary>Más datos</summary>
          <div class="campos">{rest.map(control)}</div>
        </details>
      )}
      {name === 'Remitente' && <KeepSender values={values} />}
    </fieldset>
  );
}

/** Returns what is said of a field: the first of it, since the next comes when that is corrected. */
export function saidOf(path: string, details: readonly Detail[]): Said | undefined {
  const detail = details.find(({ campo }) => campo === path);
  return detail && { text: besideField(detail.message), codigo: detail.codigo };
}
