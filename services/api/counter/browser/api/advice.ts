/** What to do about a problem, by its `codigo`: the OpenAPI document says it. */
let advice: Readonly<Record<string, string>> = {};

export function adviceFor(codigo: string): string | undefined {
  return advice[codigo];
}

export function setAdvice(known: Readonly<Record<string, string>>): void {
  advice = known;
}
