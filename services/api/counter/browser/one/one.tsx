import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { readDocument } from '../api/read-document.ts';
import { ProblemMessage } from '../ui/message.tsx';
import { useStore } from '../ui/use-store.ts';
import { Created } from './created.tsx';
import { creation, draft } from './creation.ts';
import { type GuideForm, guideForm, type Values } from './form.ts';
import { GuideFields } from './guide-fields.tsx';

/** One guide: filled in, created, printed, and the next. */
export function One() {
  const [form, setForm] = useState<GuideForm>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    readDocument().then((answer) =>
      answer.ok ? setForm(guideForm(answer.data)) : setProblem(answer.problem),
    );
  }, []);
  const { made } = useStore(creation);
  // A label that was shown is not printed again when a person comes back from another tab of the page.
  useEffect(() => () => void (creation.get().made && creation.set({})), []);
  const again = (values: Values) => {
    draft.set(values);
    creation.set({});
  };
  return (
    <>
      <h1>Una guía</h1>
      {problem && <ProblemMessage problem={problem} />}
      {made && (
        <Created
          guide={made.guide}
          onSameSender={() => again(only('Remitente.', made.values))}
          onBlank={() => again({})}
        />
      )}
      {!made && form && <GuideFields form={form} />}
      {!form && !problem && <p role="status">Cargando…</p>}
    </>
  );
}

function only(prefix: string, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith(prefix)));
}
