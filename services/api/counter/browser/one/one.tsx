export function One() {
  return <h1>Una guía</h1>;
}
