/** Saves a file on this machine. */
export function download(
  name: string,
  content: Blob | Uint8Array | string,
  type = 'application/octet-stream',
): void {
  const blob = content instanceof Blob ? content : new Blob([content as BlobPart], { type });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Returns a name of ours for a file that goes with another one. */
export function nameBeside(file: string, word: string, ending: string): string {
  return `${file.replace(/\.[^.]*$/, '') || 'guias'}-${word}.${ending}`;
}
