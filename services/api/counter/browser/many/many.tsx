export function Many() {
  return <h1>Varias guías</h1>;
}
