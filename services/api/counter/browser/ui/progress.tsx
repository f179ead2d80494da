/** How much is done, as a bar and in words. */
export function Progress({ label, done, total }: { label: string; done: number; total: number }) {
  return (
    <p class="avance">
      <progress aria-label={label} value={done} max={Math.max(total, 1)} />
      <span role="status">
        {label}: {done} de {total}
      </span>
    </p>
  );
}
