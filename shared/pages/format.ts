const decimals = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 1 });
const integer = new Intl.NumberFormat('es-MX', { maximumFractionDigits: 0 });

/** Formats ms: `340 ms`, `2.5 s`, `45 s`, `3 min`, `2 h 5 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (ms < 0) return '0 ms'; // from another machine's clock
  if (ms < 1_000) return `${integer.format(ms)} ms`;
  const s = ms / 1_000;
  if (s < 60) return `${s < 10 ? decimals.format(s) : integer.format(Math.floor(s))} s`;
  const minutes = Math.floor(s / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Formats bytes: `412 MiB`, `1.5 GiB`. */
export function bytes(size: number): string {
  const mib = size / 1024 / 1024;
  if (mib >= 1_024) return `${decimals.format(mib / 1_024)} GiB`;
  return `${mib < 10 ? decimals.format(mib) : integer.format(mib)} MiB`;
}

/** Formats without decimals: `48,213`. */
export function number(value: number): string {
  return integer.format(value);
}

/** Formats `1 etiqueta`, `2 etiquetas`. */
export function count(value: number, one: string, many: string): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Writes a moment, of ms since 1970 or a date. */
export type WriteMoment = (moment: Date | number) => string;

/** Returns a function that formats a moment in a time zone: `24 nov 2026, 16:23:05`. */
export function momentIn(timeZone: string): WriteMoment {
  const format = new Intl.DateTimeFormat('es-MX', {
    timeZone,
    ...{ day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  });
  return (moment) => format.format(moment);
}

/** Returns a function that formats ms since 1970 in a time zone: `05:54:41`. */
export function clockIn(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, timeStyle: 'medium' });
  return (at) => format.format(at);
}
