import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { waitingUntil } from '../api/ask.ts';
import { endSession, isAskingAgain, session } from '../api/session.ts';
import { forgetAll, keepNoMore, keepsAnything } from '../kept/kept.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Message } from '../ui/message.tsx';
import { useStore } from '../ui/use-store.ts';
import { Login } from './login.tsx';
import { addressOf, place, TABS, type Tab } from './route.ts';

/** Loads a tab when it is opened. */
export type Loaders = Readonly<Record<Tab, () => Promise<ComponentType>>>;

export function Shell({ loaders }: { loaders: Loaders }) {
  const who = useStore(session);
  if (who === undefined) {
    return (
      <main class="entrada">
        <h1>Mostrador</h1>
        <p class="frase">Cree sus guías e imprima sus etiquetas.</p>
        <Waiting />
        {/* Elsewhere browsers hash nothing, and others can read the password. */}
        {isSecureContext ? (
          <Login />
        ) : (
          <Message kind="bad">
            Esta página necesita una dirección que empiece con https. Pídasela a su transportista.
          </Message>
        )}
        <Help />
      </main>
    );
  }
  return <Inside key={who.username} loaders={loaders} />;
}

function Inside({ loaders }: { loaders: Loaders }) {
  const who = useStore(session);
  const { tab } = useStore(place);
  const asksAgain = useStore(isAskingAgain);
  const [leaving, setLeaving] = useState<{ keeps: boolean; loses: boolean }>();
  const leave = async () => {
    const found = { keeps: await keepsAnything(), loses: losesWork() };
    return found.keeps || found.loses ? setLeaving(found) : leaveAll();
  };
  return (
    <>
      <nav aria-label="Secciones">
        {TABS.map(({ path, name }) => (
          <a key={path} href={addressOf(path)} aria-current={path === tab ? 'page' : undefined}>
            {name}
          </a>
        ))}
        <span class="quien">
          <Help />
          <span>
            {who?.username}
            {who?.isTest && ' · cuenta de prueba'}
          </span>
          <Button quiet onClick={leave}>
            Salir
          </Button>
        </span>
      </nav>
      <main>
        <Waiting />
        <Loaded key={tab} tab={tab} loaders={loaders} />
      </main>
      {leaving && (
        <Dialog title="¿Salir de este navegador?" onClose={() => setLeaving(undefined)}>
          {leaving.loses && (
            <p>Se pierde lo que no ha terminado: filas sin crear, o correcciones sin guardar.</p>
          )}
          {leaving.keeps && (
            <p>
              Se borra lo que guardó aquí, como remitentes e impresora. Si solo cierra la pestaña, se queda
              para la próxima vez.
            </p>
          )}
          <p class="acciones">
            <Button onClick={leaveAll}>Salir y borrar</Button>
            <Button quiet onClick={() => setLeaving(undefined)}>
              Quedarse
            </Button>
          </p>
        </Dialog>
      )}
      {asksAgain && who && (
        <Dialog title="Su sesión terminó">
          <p>Escriba su contraseña otra vez: lo que estaba haciendo sigue donde iba.</p>
          <Login username={who.username} />
          <Button quiet onClick={leave}>
            Salir
          </Button>
        </Dialog>
      )}
    </>
  );
}

/** Opens beside this page, whose form may be half filled in. */
function Help() {
  return (
    <a href="/api/docs/mostrador" target="_blank" rel="noreferrer">
      Ayuda
    </a>
  );
}

/** Tells the other tabs of this browser that its user has left: what they kept would stay. */
const tabs = new BroadcastChannel('mostrador');
tabs.onmessage = () => {
  keepNoMore();
  location.replace('/mostrador');
};

/** Whether something would be lost: a tab that asks before the browser closes it is asked here too. */
function losesWork(): boolean {
  return !dispatchEvent(new Event('beforeunload', { cancelable: true }));
}

/** Ends the sessions of all tabs, and leaves nothing of anybody in this browser. */
async function leaveAll(): Promise<void> {
  tabs.postMessage('salir');
  endSession();
  try {
    await forgetAll();
  } finally {
    location.replace('/mostrador');
  }
}

/**
 * Shows a tab once it is there, and then loads the others: a newer service no longer has the files of this page, which goes on with
 * what it has, and loses nothing that is filled in.
 */
function Loaded({ tab, loaders }: { tab: Tab; loaders: Loaders }) {
  const [loaded, setLoaded] = useState<{ Tab?: ComponentType; failed?: true }>({});
  useEffect(() => {
    loaders[tab]().then(
      (Tab) => {
        setLoaded({ Tab });
        for (const load of Object.values(loaders)) load().catch(() => undefined);
      },
      () => setLoaded({ failed: true }),
    );
  }, [tab, loaders]);
  if (loaded.failed) {
    return (
      <Message kind="bad">
        <strong>Esta parte no se pudo cargar.</strong> No hay conexión, o el mostrador cambió desde que abrió
        esta página. Termine lo que tenga en las otras partes, y vuelva a cargar la página.
      </Message>
    );
  }
  return loaded.Tab ? <loaded.Tab /> : <p role="status">Cargando…</p>;
}

function Waiting() {
  const until = useStore(waitingUntil);
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (until === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [until]);
  if (until === undefined) return null;
  return (
    <Message kind="warning">
      El servicio pide esperar {Math.max(Math.ceil((until - now) / 1_000), 1)} s. Después sigue solo.
    </Message>
  );
}
