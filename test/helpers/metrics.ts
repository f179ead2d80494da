/** What `/metrics` says: the value of each series, by its text such as `dependency_up{dependency="redis"}`. */
export async function scrape(url: string): Promise<Map<string, number>> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const blank = line.lastIndexOf(' ');
      return [line.slice(0, blank), Number(line.slice(blank + 1))];
    }),
  );
}
