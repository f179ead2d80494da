import { adviceAddress } from '../api/problem.ts';

/** Leads to what one does about a problem of the API, in a tab of its own: what is filled in stays. */
export function Advice({ codigo }: { codigo: string }) {
  return (
    <a href={adviceAddress(codigo)} target="_blank" rel="noreferrer">
      Qué hacer
    </a>
  );
}
