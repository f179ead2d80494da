import { useState } from 'preact/hooks';
import { askBlob } from '../api/ask.ts';
import type { Problem } from '../api/problem.ts';
import type { ShownFile } from '../ui/file-shown.tsx';

/** Reads a file of the API when it is wanted. */
export function useFile(path: string, name: string, accept = 'application/pdf') {
  const [file, setFile] = useState<ShownFile>();
  const [problem, setProblem] = useState<Problem>();
  const [isBusy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    setProblem(undefined);
    setFile(undefined);
    const answer = await askBlob({ method: 'GET', path, accept });
    setBusy(false);
    if (answer.ok) setFile({ blob: answer.data, name });
    else setProblem(answer.problem);
  };
  return { file, problem, isBusy, show };
}
