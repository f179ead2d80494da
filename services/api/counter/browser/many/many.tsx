import { useEffect, useState } from 'preact/hooks';
import { useStore } from '../ui/store.ts';
import { checkOrders } from './check-orders.ts';
import { ChooseFile } from './choose-file.tsx';
import { creating, recallCreated } from './create-orders.ts';
import { findEarlier } from './earlier-guides.ts';
import { MapHeadings } from './map-headings.tsx';
import { OrdersView } from './orders-view.tsx';
import type { Row, Sheet } from './rows.ts';
import { beginWork, work } from './work.ts';

/** Many guides of one file: it is chosen, its headings are mapped, its rows are corrected, created and printed. */
export function Many() {
  const current = useStore(work);
  const [chosen, setChosen] = useState<{ name: string; sheet: Sheet }>();
  useAskAtClosing();
  const begin = (rows: Row[], others: string[]) => {
    beginWork(chosen?.name ?? '', others, rows);
    setChosen(undefined);
    void prepare();
  };
  return (
    <div class="varias">
      <h1>Varias guías</h1>
      {chosen ? (
        <MapHeadings {...chosen} onDone={begin} onBack={() => setChosen(undefined)} />
      ) : current ? (
        <OrdersView work={current} onEnd={() => work.set(undefined)} />
      ) : (
        <ChooseFile onChosen={(name, sheet) => setChosen({ name, sheet })} />
      )}
    </div>
  );
}

/** What this browser has created comes first: it is not looked for by its Referencia. */
async function prepare(): Promise<void> {
  creating.set(undefined);
  await recallCreated();
  await Promise.all([findEarlier(), checkOrders()]);
}

function useAskAtClosing(): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (work.get()?.isChanged || creating.get()?.isRunning) event.preventDefault();
    };
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, []);
}
