import { useEffect, useState } from 'preact/hooks';
import { session } from '../api/session.ts';
import { keep, readKept } from '../kept/kept.ts';
import { Button } from '../ui/button.tsx';
import { createStore } from '../ui/store.ts';
import { useStore } from '../ui/use-store.ts';
import type { Values } from './form.ts';

const MOST = 50;
/** Of the user who is in; undefined until they are read. */
const senders = createStore<Values[] | undefined>(undefined);

const username = () => session.get()?.username ?? '';
const isOfSender = ([path]: [string, string]) => path.startsWith('Remitente.');
const nameOf = (sender: Values) =>
  `${sender['Remitente.Nombre']}, ${sender['Remitente.CodigoPostal'] ?? ''}`.replace(/, $/, '');

/** Offers the senders that the user has kept in this browser. */
export function KeptSenders({ onChoose }: { onChoose: (sender: Values) => void }) {
  const kept = useStore(senders);
  useEffect(() => {
    readKept(username(), 'senders').then((read) => senders.set((read as Values[] | undefined) ?? []));
  }, []);
  if (!kept || kept.length === 0) return null;
  return (
    <label class="guardados">
      Remitentes guardados{' '}
      <select
        value=""
        onChange={({ currentTarget }) => {
          const sender = kept[Number(currentTarget.value)];
          if (sender) onChoose(sender);
        }}
      >
        <option value="">Elegir…</option>
        {kept.map((sender, index) => (
          <option key={nameOf(sender)} value={index}>
            {nameOf(sender)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Keeps a sender in this browser when the user asks for it. */
export function KeepSender({ values }: { values: Values }) {
  const kept = useStore(senders);
  const [said, setSaid] = useState('');
  const sender = Object.fromEntries(
    Object.entries(values)
      .filter(isOfSender)
      .filter(([, value]) => value !== ''),
  );
  if (!sender['Remitente.Nombre']) return null;
  const save = async () => {
    const others = (kept ?? []).filter((each) => nameOf(each) !== nameOf(sender));
    const all = [sender, ...others].slice(0, MOST);
    const isKept = await keep(username(), 'senders', all);
    if (isKept) senders.set(all);
    setSaid(isKept ? 'Guardado en este navegador, hasta que salga.' : 'Este navegador no guarda datos.');
  };
  return (
    <p class="guardar">
      <Button quiet onClick={save}>
        Guardar este remitente
      </Button>
      <span role="status">{said}</span>
    </p>
  );
}
