import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Field } from './field.tsx';

/** A link for somebody else, whole, and a button that copies it. */
export function CopyLink(props: { id: string; label: string; link: string; hint?: string }) {
  const { id, label, link, hint } = props;
  const [copied, setCopied] = useState('');
  const copy = () =>
    navigator.clipboard.writeText(link).then(
      () => setCopied(link),
      () => document.getElementById(id)?.focus(),
    );
  return (
    <>
      <Field id={id} label={label} hint={hint}>
        {(attributes) => (
          <input
            {...attributes}
            readOnly
            value={link}
            onFocus={({ currentTarget }) => currentTarget.select()}
          />
        )}
      </Field>
      <p class="acciones">
        <Button quiet onClick={copy}>
          Copiar
        </Button>
        {copied === link && <span role="status">Copiado.</span>}
      </p>
    </>
  );
}
