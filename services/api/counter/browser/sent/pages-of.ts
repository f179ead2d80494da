import { useEffect, useState } from 'preact/hooks';
import { ask } from '../api/ask.ts';
import type { Body, Problem } from '../api/problem.ts';

/** A list of the API as far as it has been read. `beside`: what stood beside the rows of the last page. */
export type Pages<Row> = {
  rows: Row[];
  isLoading: boolean;
  problem?: Problem | undefined;
  beside?: Body<Row[]> | undefined;
  /** Reads the next page; undefined if there is none. */
  more?: (() => void) | undefined;
  /** Reads the list again, from its beginning. */
  again: () => void;
};

/** Reads a list page by page, always the same list: a component that shows another has another `key`. */
export function usePages<Row>(path: string, query: Record<string, string> = {}): Pages<Row> {
  const [read, setRead] = useState<Omit<Pages<Row>, 'again' | 'more'>>({ rows: [], isLoading: true });
  const [from, setFrom] = useState({ cursor: '' });
  useEffect(() => {
    const { cursor } = from;
    const leaving = new AbortController();
    setRead(({ rows }) => ({ rows: cursor === '' ? [] : rows, isLoading: true }));
    const whole = { ...query, ...(cursor !== '' && { cursor }) };
    void ask<Row[]>({ method: 'GET', path, query: whole, signal: leaving.signal }).then((answer) => {
      if (leaving.signal.aborted) return;
      setRead(({ rows }) =>
        answer.ok
          ? { rows: [...rows, ...answer.data], isLoading: false, beside: answer.body }
          : { rows, isLoading: false, problem: answer.problem },
      );
    });
    return () => leaving.abort();
  }, [from]);
  const next = read.beside?.siguiente;
  return {
    ...read,
    ...(typeof next === 'string' && { more: () => setFrom({ cursor: next }) }),
    again: () => setFrom({ cursor: '' }),
  };
}

/** One thing of the API. */
type One<Data> = { data?: Data; problem?: Problem; again: () => void };

/** Reads one thing; nothing while the path is undefined. */
export function useOne<Data>(path: string | undefined, query: Record<string, string> = {}): One<Data> {
  const asked = JSON.stringify(query);
  const [read, setRead] = useState<Omit<One<Data>, 'again'>>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (path === undefined) return;
    const leaving = new AbortController();
    setRead({});
    void ask<Data>({ method: 'GET', path, query: JSON.parse(asked), signal: leaving.signal }).then(
      (answer) => {
        if (!leaving.signal.aborted) setRead(answer.ok ? { data: answer.data } : { problem: answer.problem });
      },
    );
    return () => leaving.abort();
  }, [path, asked, turn]);
  return { ...read, again: () => setTurn((count) => count + 1) };
}
