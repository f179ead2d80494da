import type { ComponentChildren } from 'preact';

/** What connects a control with the words beside it. */
export type Connected = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

/** A label, what is wrong and what may be wrong beside it, and the control, which gets the attributes that connect them. */
export function Field(props: {
  id: string;
  label: string;
  isOptional?: boolean;
  hint?: string | undefined;
  problem?: string | undefined;
  warning?: string | undefined;
  children: (attributes: Connected) => ComponentChildren;
}) {
  const { id, label, isOptional, hint, problem, warning, children } = props;
  const notes = [
    { name: 'ayuda', text: hint },
    { name: 'mal', text: problem },
    { name: 'atencion', text: warning },
  ].filter(({ text }) => text !== undefined && text !== '');
  const described = notes.map(({ name }) => `${id}-${name}`).join(' ');
  return (
    <div class="campo">
      <label id={`${id}-nombre`} for={id}>
        {label}
        {isOptional && <small> (opcional)</small>}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(problem !== undefined && { 'aria-invalid': 'true' as const }),
      })}
      {notes.map(({ name, text }) => (
        <p key={name} id={`${id}-${name}`} class={name}>
          {text}
        </p>
      ))}
    </div>
  );
}
