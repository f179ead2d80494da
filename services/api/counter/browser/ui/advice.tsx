import { useEffect, useState } from 'preact/hooks';
import { adviceForPeople } from '../api/document.ts';
import { adviceAddress } from '../api/problem.ts';
import { readDocument } from '../api/read-document.ts';

/** Says what one does about a problem of the API, and leads to the guide in a tab of its own: what is filled in stays. */
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
  return (
    <>
      {advice}{' '}
      <a href={adviceAddress(codigo)} target="_blank" rel="noreferrer">
        {advice === '' ? 'Qué hacer' : 'Más en la guía'}
      </a>
    </>
  );
}
