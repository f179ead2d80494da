import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ProblemMessage } from '../ui/message.tsx';

type Props = {
  /** After "Cancelar": "la guía". */
  what: string;
  question: string;
  /** Address of its kind in the API. The number is also the key, so that it is cancelled once. */
  path: string;
  number: string;
  onDone: () => void;
  /** What cancelling means. */
  children: ComponentChildren;
};

/** Cancels something once the user has read what that means. */
export function Cancel({ what, question, path, number, onDone, children }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const cancel = async () => {
    setBusy(true);
    const answer = await ask({ method: 'POST', path: `${path}/${number}/cancelar`, key: number });
    setBusy(false);
    if (answer.ok) onDone();
    else setProblem(answer.problem);
  };
  return (
    <>
      <Button quiet onClick={() => setAsking(true)}>
        Cancelar {what}…
      </Button>
      {isAsking && (
        <Dialog title={question} onClose={() => setAsking(false)}>
          <p>{children}</p>
          {problem && <ProblemMessage problem={problem} />}
          <p class="acciones">
            <Button busy={isBusy} onClick={cancel}>
              Sí, cancelarla
            </Button>
            <Button quiet onClick={() => setAsking(false)}>
              No
            </Button>
          </p>
        </Dialog>
      )}
    </>
  );
}
