import { useMemo } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { FIELDS } from './fields.ts';
import { countProblems } from './problems.ts';
import type { Order } from './work.ts';

/** Says in which columns rows have problems, wherever these are, and goes to the next one. */
export function ProblemsBar(props: { orders: readonly Order[]; onNext: (path?: string) => void }) {
  const { orders, onNext } = props;
  const counts = useMemo(() => countProblems(orders), [orders]);
  if (counts.size === 0) return null;
  const ofRows = counts.get('');
  return (
    <div class="barra problemas">
      <Button onClick={() => onNext()} aria-keyshortcuts="F8" title="También con la tecla F8">
        Siguiente problema
      </Button>
      {ofRows !== undefined && (
        <Button quiet onClick={() => onNext('')}>
          De toda la fila ({ofRows})
        </Button>
      )}
      {FIELDS.filter(({ path }) => counts.has(path)).map(({ path, label }) => (
        <Button key={path} quiet onClick={() => onNext(path)}>
          {label} ({counts.get(path)})
        </Button>
      ))}
    </div>
  );
}
