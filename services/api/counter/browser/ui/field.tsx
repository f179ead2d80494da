import type { ComponentChildren } from 'preact';
import { sentence } from '../api/problem.ts';
import { Advice } from './advice.tsx';

/** What connects a control with the words beside it. */
export type Connected = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' };

/** What the API says of a field; without a `codigo`, what this program says. */
export type Said = { text: string; codigo?: string };

/** A label, what is wrong and what may be wrong beside it, and the control, which gets the attributes that connect them. */
export function Field(props: {
  id: string;
  label: string;
  isOptional?: boolean;
  /** What an optional field is good for. */
  purpose?: string | undefined;
  hint?: string | undefined;
  problem?: Said | undefined;
  warning?: Said | undefined;
  children: (attributes: Connected) => ComponentChildren;
}) {
  const { id, label, isOptional, purpose = 'opcional', hint, problem, warning, children } = props;
  const notes = [
    { name: 'ayuda', said: hint === undefined ? undefined : { text: hint } },
    { name: 'mal', said: problem },
    { name: 'atencion', said: warning },
  ].flatMap(({ name, said }) => (said === undefined ? [] : [{ name, ...(said as Said) }]));
  const described = notes.map(({ name }) => `${id}-${name}`).join(' ');
  return (
    <div class="campo">
      <label id={`${id}-nombre`} for={id}>
        {label}
        {isOptional && <small> ({purpose})</small>}
      </label>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(problem !== undefined && { 'aria-invalid': 'true' as const }),
      })}
      {notes.map(({ name, text, codigo }) => (
        <p key={name} id={`${id}-${name}`} class={name}>
          {codigo === undefined ? text : sentence(text)} {codigo !== undefined && <Advice codigo={codigo} />}
        </p>
      ))}
    </div>
  );
}
