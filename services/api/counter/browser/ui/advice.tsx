import { useEffect, useState } from 'preact/hooks';
import { adviceForPeople } from '../api/document.ts';
import { readDocument } from '../api/read-document.ts';

/** Says what one does about a problem of the API, as far as that is no matter of programs. */
export function Advice({ codigo }: { codigo: string }) {
  const [advice, setAdvice] = useState('');
  useEffect(() => {
    let isShown = true;
    void readDocument().then((answer) => {
      if (isShown && answer.ok) setAdvice(adviceForPeople(answer.data, codigo));
    });
    return () => {
      isShown = false;
    };
  }, [codigo]);
  return <>{advice}</>;
}
