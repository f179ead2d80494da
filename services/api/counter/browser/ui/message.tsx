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
          <Advice codigo={codigo} /> <small>Referencia para soporte: {requestId}</small>
        </>
      )}
    </Message>
  );
}

/** Why a form was refused, unless all of that stands beside its fields. @param isMarked whether a field of the form is meant. */
export function FormProblem(props: { problem: Problem; isMarked: (campo: string) => boolean }) {
  const { problem, isMarked } = props;
  const { errors = [] } = problem;
  return errors.length > 0 && errors.every(({ campo }) => campo !== undefined && isMarked(campo)) ? (
    <Message kind="bad">Corrija lo que está marcado, e intente otra vez.</Message>
  ) : (
    <ProblemMessage problem={problem} />
  );
}
