import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { zoneWords } from '#shared/pages/zone-words.ts';
import { addressOf, place } from '../shell/route.ts';
import { useStore } from '../ui/use-store.ts';
import { Collected, PaidRemittance } from './collected.tsx';
import { Guide } from './guide.tsx';
import { Guides } from './guides.tsx';
import { Manifest, Manifests } from './manifests.tsx';
import { may } from './may.ts';
import { Pickup, Pickups } from './pickups.tsx';
import { Returns } from './returns.tsx';
import { Usage } from './usage.tsx';
import { Webhooks } from './webhooks.tsx';
import { TIME_ZONE } from './words.ts';

/** What was sent, by the words of the address below the tab: a list, and one of it where the next word is its number. */
const VIEWS: readonly {
  path: string;
  name: string;
  permission: string;
  List: ComponentType;
  One?: ComponentType<{ number: string }>;
}[] = [
  { path: 'guias', name: 'Guías', permission: 'guias.read', List: Guides, One: Guide },
  { path: 'manifiestos', name: 'Manifiestos', permission: 'guias.read', List: Manifests, One: Manifest },
  { path: 'recolecciones', name: 'Recolecciones', permission: 'guias.read', List: Pickups, One: Pickup },
  { path: 'devoluciones', name: 'Devoluciones', permission: 'guias.read', List: Returns },
  { path: 'cobros', name: 'Cobros', permission: 'guias.cobro', List: Collected, One: PaidRemittance },
  { path: 'uso', name: 'Cifras', permission: 'guias.read', List: Usage },
  { path: 'webhooks', name: 'Webhooks', permission: 'webhooks.admin', List: Webhooks },
];

export function Sent() {
  const { below } = useStore(place);
  const shownHere = useRef<HTMLDivElement>(null);
  const where = below.join('/');
  const last = useRef(where);
  // Another view begins at its top, also for whoever hears the page.
  useEffect(() => {
    if (last.current === where) return;
    last.current = where;
    scrollTo(0, 0);
    shownHere.current?.focus();
  }, [where]);
  const allowed = VIEWS.filter(({ permission }) => may(permission));
  const [first] = allowed;
  if (first === undefined) {
    return (
      <>
        <h1>Lo enviado</h1>
        <p>Su usuario no puede ver guías. Pida a su transportista el permiso guias.read.</p>
      </>
    );
  }
  const [path = '', number] = below;
  const shown = allowed.find((view) => view.path === path) ?? first;
  const { List, One } = shown;
  return (
    <div class="enviado">
      <nav aria-label="Lo enviado">
        {allowed.map(({ path, name }) => (
          <a
            key={path}
            href={addressOf('enviado', path)}
            aria-current={path === shown.path ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
      <div ref={shownHere} tabIndex={-1}>
        {One && number !== undefined ? <One key={number} number={number} /> : <List key={shown.path} />}
      </div>
      <p class="ayuda">Las horas son las de su transportista: {zoneWords(TIME_ZONE)}.</p>
    </div>
  );
}
