import type { Connected } from './field.tsx';

/** What a person fills in, whatever kind of value it is. A list has `|` between its values. */
export function Control(props: {
  attributes: Connected;
  kind: 'text' | 'decimal' | 'integer' | 'choice' | 'choices';
  value: string;
  onValue: (value: string) => void;
  options?: readonly string[];
  /** Offered while one types; any other text is taken too. */
  suggestions?: readonly string[];
  example?: string | undefined;
  maxLength?: number | undefined;
  required?: boolean;
}) {
  const {
    attributes,
    kind,
    value,
    onValue,
    options = [],
    suggestions = [],
    example,
    maxLength,
    required,
  } = props;
  if (kind === 'choices') {
    const chosen = value === '' ? [] : value.split('|');
    const toggle = (option: string) =>
      chosen.includes(option) ? chosen.filter((each) => each !== option) : [...chosen, option];
    return (
      <fieldset class="opciones" aria-labelledby={`${attributes.id}-nombre`} {...attributes}>
        {options.map((option) => (
          <label key={option}>
            <input
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={() => onValue(toggle(option).join('|'))}
            />
            {option}
          </label>
        ))}
      </fieldset>
    );
  }
  if (kind === 'choice') {
    return (
      <select {...attributes} value={value} onChange={({ currentTarget }) => onValue(currentTarget.value)}>
        <option value="" />
        {options.map((option) => (
          <option key={option}>{option}</option>
        ))}
      </select>
    );
  }
  const list = suggestions.length > 0 ? `${attributes.id}-lista` : undefined;
  return (
    <>
      <input
        {...attributes}
        value={value}
        onInput={({ currentTarget }) => onValue(currentTarget.value)}
        placeholder={example === undefined ? undefined : `Ej. ${example}`}
        maxLength={maxLength}
        aria-required={required}
        inputmode={kind === 'decimal' ? 'decimal' : kind === 'integer' ? 'numeric' : undefined}
        list={list}
        autocomplete="off"
      />
      {list !== undefined && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </>
  );
}
