export function Sent() {
  return <h1>Lo enviado</h1>;
}
