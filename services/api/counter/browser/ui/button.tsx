import type { ButtonHTMLAttributes } from 'preact';

type Attributes = Omit<ButtonHTMLAttributes, 'type'>;

/** A button; one that stands beside the main one is `quiet`. While it is `busy`, it does nothing. */
export function Button(props: Attributes & { quiet?: boolean; busy?: boolean; type?: 'submit' }) {
  const { quiet, busy, type, onClick, ...rest } = props;
  return (
    <button
      type={type ?? 'button'}
      class={quiet ? 'discreto' : undefined}
      aria-disabled={busy ? 'true' : undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      {...rest}
    />
  );
}
