import { useEffect, useState } from 'preact/hooks';
import type { Problem } from '../api/problem.ts';
import { readDocument } from '../api/read-document.ts';
import { ProblemMessage } from '../ui/message.tsx';
import { Created, type CreatedGuide } from './created.tsx';
import { type GuideForm, guideForm, type Values } from './form.ts';
import { GuideFields } from './guide-fields.tsx';

/** What is filled in and not created, while another tab is looked at. */
let draft: Values = {};

/** One guide: filled in, created, printed, and the next. */
export function One() {
  const [form, setForm] = useState<GuideForm>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    readDocument().then((answer) =>
      answer.ok ? setForm(guideForm(answer.data)) : setProblem(answer.problem),
    );
  }, []);
  const [start, setStart] = useState<{ round: number; values: Values }>({ round: 0, values: draft });
  const [made, setMade] = useState<{ guide: CreatedGuide; values: Values }>();
  const again = (values: Values) => {
    setMade(undefined);
    setStart(({ round }) => ({ round: round + 1, values }));
  };
  return (
    <>
      <h1>Una guía</h1>
      {problem && <ProblemMessage problem={problem} />}
      {made && form && (
        <Created
          guide={made.guide}
          onSameSender={() => again(only('Remitente.', made.values))}
          onBlank={() => again({})}
        />
      )}
      {!made && form && (
        <GuideFields
          key={start.round}
          form={form}
          start={start.values}
          onChange={(values) => {
            draft = values;
          }}
          onCreated={(guide, values) => {
            draft = {};
            setMade({ guide, values });
          }}
        />
      )}
      {!form && !problem && <p role="status">Cargando…</p>}
    </>
  );
}

function only(prefix: string, values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith(prefix)));
}
