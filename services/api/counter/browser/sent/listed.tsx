import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/problem.ts';
import { Button } from '../ui/button.tsx';
import { ProblemMessage } from '../ui/message.tsx';
import type { Pages } from './pages-of.ts';

/** Shows a list: what it has so far, that it is read, why it is not, what to do if it is empty, and how to go on. */
export function Listed<Row>(props: {
  pages: Pages<Row>;
  /** What to do while there is nothing. */
  empty: ComponentChildren;
  children: (rows: Row[]) => ComponentChildren;
}) {
  const { pages, empty, children } = props;
  const { rows, isLoading, problem, more, again } = pages;
  return (
    <>
      {rows.length > 0 && children(rows)}
      {isLoading && <p role="status">Cargando…</p>}
      {problem && <Failed problem={problem} again={again} />}
      {!isLoading && !problem && rows.length === 0 && <div class="vacio">{empty}</div>}
      {!isLoading && !problem && more && (
        <Button quiet onClick={more}>
          Ver más
        </Button>
      )}
    </>
  );
}

/** A table that is a list of cards on a narrow screen, where each cell says its column's name. */
export function Table(props: { caption: string; heads: readonly string[]; children: ComponentChildren }) {
  const { caption, heads, children } = props;
  return (
    <table class="lista">
      <caption>{caption}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

/** Why something could not be read, and the way to try again. */
export function Failed({ problem, again }: { problem: Problem; again: () => void }) {
  return (
    <>
      <ProblemMessage problem={problem} />
      <Button quiet onClick={again}>
        Intentar de nuevo
      </Button>
    </>
  );
}

/** A fact by its name, within a `dl`. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
