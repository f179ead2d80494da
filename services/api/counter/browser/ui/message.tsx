import type { ComponentChildren } from 'preact';
import { type Problem, sentence } from '../api/problem.ts';
import { Advice } from './advice.tsx';

/** A sentence that is read out when it appears. */
export function Message({
  kind,
  children,
}: {
  kind: 'good' | 'warning' | 'bad';
  children: ComponentChildren;
}) {
  const className = { good: 'bien', warning: 'atencion', bad: 'mal' }[kind];
  return (
    <p class={`aviso ${className}`} role={kind === 'bad' ? 'alert' : 'status'}>
      {children}
    </p>
  );
}

/** Why it did not work, what to do, and what the carrier can look it up by. */
export function ProblemMessage({ problem }: { problem: Problem }) {
  const { codigo, message, consejo, requestId } = problem;
  return (
    <Message kind="bad">
      <strong>{sentence(message)}</strong>
      {consejo !== undefined && <span> {consejo}</span>}
      {requestId !== undefined && (
        <>
          {' '}
          <Advice codigo={codigo} /> <small>(solicitud {requestId})</small>
        </>
      )}
    </Message>
  );
}
