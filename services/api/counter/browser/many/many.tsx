import { session } from '../api/session.ts';
import { createStore } from '../ui/store.ts';
import { useStore } from '../ui/use-store.ts';
import { checkOrders } from './check-orders.ts';
import { ChooseFile } from './choose-file.tsx';
import { creating, recallCreated } from './create-orders.ts';
import { findEarlier } from './earlier-guides.ts';
import { type Chosen, MapHeadings } from './map-headings.tsx';
import { OrdersView } from './orders-view.tsx';
import { beginWork, work } from './work.ts';

/** The file whose columns are asked about; it stays while another tab of the page is looked at. */
const chosen = createStore<Chosen | undefined>(undefined);

/** Many guides of one file: it is chosen, its headings are mapped, its rows are corrected, created and printed. */
export function Many() {
  const current = useStore(work);
  const file = useStore(chosen);
  return (
    <div class="varias">
      <h1>Varias guías</h1>
      {file ? (
        <MapHeadings
          file={file}
          back={current ? 'Volver a las filas' : 'Otro archivo'}
          onDone={(...begun) => {
            beginWork(...begun);
            chosen.set(undefined);
            void prepare();
          }}
          onBack={() => chosen.set(undefined)}
        />
      ) : current ? (
        <OrdersView
          work={current}
          onColumns={() => chosen.set(current.source)}
          onEnd={() => work.set(undefined)}
        />
      ) : (
        <ChooseFile onChosen={(name, sheet) => chosen.set({ name, sheet })} />
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

/** Asks before what is not created or saved is gone; "Salir" asks this too, while there is a session. */
addEventListener('beforeunload', (event) => {
  const { isChanged = false, orders = [] } = work.get() ?? {};
  const isOpen = orders.some(({ isChosen, state }) => isChosen && state !== 'created');
  if (session.get() && (chosen.get() || isChanged || isOpen)) event.preventDefault();
});
