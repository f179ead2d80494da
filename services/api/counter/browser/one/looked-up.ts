import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Detail, Problem } from '../api/problem.ts';
import type { Values } from './form.ts';

/** In ms after the last key. */
const PAUSE_MS = 400;

/** Runs after a pause in `changes`, and ends what an earlier run still asks for. */
function useAfterPause(changes: string, run: (signal: AbortSignal) => void): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => latest.current(controller.signal), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [changes]);
}

type Place = { Estado: string; Municipio: string; Colonias: string[] };
type Found = { place?: Place; problem?: Problem };

/** A carrier without a catalogue is asked once. */
let hasCatalogue = true;

/**
 * Asks what is at a postal code, as soon as it has five digits, and fills in what follows from it: of several Colonias none.
 *
 * @param values what the address says; `prefix` stands before the names of its fields. What a person has written stays, also while the
 *   answer is on its way.
 */
export function usePlace(
  postalCode: string,
  values: Readonly<Record<string, string | undefined>>,
  prefix: string,
  onValues: (more: Values) => void,
): Found {
  const [found, setFound] = useState<Found & { of?: string }>({});
  const latest = useRef(values);
  latest.current = values;
  const filled = useRef<Values>({});
  const fill = ({ Estado, Municipio, Colonias: [only = '', ...others] }: Place) => {
    const follows = { Estado, Municipio, Colonia: others.length === 0 ? only : '' };
    const more = Object.entries(follows).flatMap(([name, value]) => {
      const path = `${prefix}${name}`;
      const isFree = ['', undefined, value, filled.current[path]].includes(latest.current[path]);
      return isFree ? [[path, value] as const] : [];
    });
    filled.current = Object.fromEntries(more);
    onValues(filled.current);
  };
  useAfterPause(postalCode, async (signal) => {
    if (!hasCatalogue || !/^[0-9]{5}$/.test(postalCode)) return;
    const answer = await ask<Place>({ method: 'GET', path: `/api/codigos-postales/${postalCode}`, signal });
    if (signal.aborted) return;
    if (answer.ok) {
      setFound({ of: postalCode, place: answer.data });
      fill(answer.data);
    } else if (answer.problem.codigo === 'sin_catalogo') hasCatalogue = false;
    else setFound({ of: postalCode, problem: answer.problem });
  });
  return found.of === postalCode ? found : {};
}

/** What `validar` and `cotizar` say of a guide. */
export type Checked = { problems: Detail[]; warnings: Detail[] };
export type Option = {
  TipoServicio: string;
  SEND_TOTAL: number;
  EntregaEstimada?: { Desde: string; Hasta: string };
  Cotizacion: string;
};
type Quoted = { options: Option[]; problem?: Problem | undefined };
type Body = { TipoServicio: unknown; Guia: unknown[] };

/** @param body undefined while the guide lacks what must be there. */
export function useCheck(body: Body | undefined): Checked {
  const [checked, setChecked] = useState<Checked>({ problems: [], warnings: [] });
  useAfterPause(JSON.stringify(body) ?? '', async (signal) => {
    if (!body) return setChecked({ problems: [], warnings: [] });
    const answer = await ask({ method: 'POST', path: '/api/guias/validar', body, signal });
    if (signal.aborted) return;
    if (answer.ok) setChecked({ problems: [], warnings: answer.advertencias });
    else setChecked({ problems: answer.problem.errors ?? [], warnings: answer.problem.advertencias ?? [] });
  });
  return checked;
}

/**
 * @param guide undefined while it cannot be priced, or its user may not ask.
 * @param round another one asks again.
 * @returns the last options, also while those of a changed guide are on their way: then they are not current.
 */
export function useQuote(guide: unknown, round: number): Quoted & { isCurrent: boolean } {
  const [quoted, setQuoted] = useState<Quoted & { of?: string }>({ options: [] });
  const asked = JSON.stringify([guide, round]);
  useAfterPause(asked, async (signal) => {
    if (guide === undefined) return setQuoted({ options: [] });
    const found = await quote(guide, signal);
    if (!signal.aborted) setQuoted({ ...found, of: asked });
  });
  return { ...quoted, isCurrent: quoted.of === asked };
}

export async function quote(guide: unknown, signal?: AbortSignal): Promise<Quoted> {
  const answer = await ask<{ Opciones: Option[] }[]>({
    ...{ method: 'POST', path: '/api/guias/cotizar', body: { Guia: [guide] } },
    ...(signal && { signal }),
  });
  return answer.ok ? { options: answer.data[0]?.Opciones ?? [] } : { options: [], problem: answer.problem };
}
