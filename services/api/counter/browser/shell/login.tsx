import { useEffect, useRef, useState } from 'preact/hooks';
import { enter } from '../api/enter.ts';
import type { Problem } from '../api/problem.ts';
import { changePassword } from '../api/session.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ProblemMessage } from '../ui/message.tsx';

/** Asks for user and password, and for a new password in place of one that is for one time. @param username the one user who may go on. */
export function Login({ username: fixed }: { username?: string }) {
  const [username, setUsername] = useState(fixed ?? '');
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const [isOneTime, setOneTime] = useState(false);
  const secret = useRef<HTMLInputElement>(null);

  const form = useFirstField();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const refused = await enter(username.trim(), password);
    setBusy(false);
    if (refused?.codigo === 'contrasena_temporal') setOneTime(true);
    else {
      setProblem(refused);
      secret.current?.select();
    }
  };
  if (isOneTime) return <NewPassword username={username.trim()} password={password} />;
  return (
    <form ref={form} onSubmit={submit}>
      {problem && <ProblemMessage problem={problem} />}
      <Field id="usuario" label="Usuario">
        {(attributes) => (
          <input
            {...attributes}
            value={username}
            onInput={({ currentTarget }) => setUsername(currentTarget.value)}
            readOnly={fixed !== undefined}
            required
            autocomplete="username"
            autocapitalize="none"
            spellcheck={false}
          />
        )}
      </Field>
      <Field id="clave" label="Contraseña">
        {(attributes) => (
          <input
            {...attributes}
            ref={secret}
            type="password"
            value={password}
            onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            required
            autocomplete="current-password"
          />
        )}
      </Field>
      <Button type="submit" busy={isBusy}>
        Entrar
      </Button>
    </form>
  );
}

/** Changes a one-time password, and goes in with the new one. */
function NewPassword({ username, password }: { username: string; password: string }) {
  const [next, setNext] = useState('');
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const form = useFirstField();
  const change = async (event: Event) => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const changed = await changePassword(username, password, next);
    const refused = changed.ok ? await enter(username, next) : changed.problem;
    setBusy(false);
    setProblem(refused);
  };
  return (
    <form ref={form} onSubmit={change}>
      <p>Su contraseña es temporal. Elija la suya; nadie más la sabrá.</p>
      {problem && <ProblemMessage problem={problem} />}
      <Field id="nueva" label="Contraseña nueva">
        {(attributes) => (
          <input
            {...attributes}
            type="password"
            value={next}
            onInput={({ currentTarget }) => setNext(currentTarget.value)}
            required
            autocomplete="new-password"
          />
        )}
      </Field>
      <Button type="submit" busy={isBusy}>
        Cambiar y entrar
      </Button>
    </form>
  );
}

/** Moves the focus into a form, to the first field that can be filled in. */
function useFirstField() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:not([readonly])')?.focus(), []);
  return form;
}
