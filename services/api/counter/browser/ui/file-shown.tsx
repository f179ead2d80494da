import { useEffect, useRef, useState } from 'preact/hooks';

/** A file of the API, with the name under which it is saved. */
export type ShownFile = { blob: Blob; name: string };

/**
 * Shows a file to print it, or to save it, which is all that a browser can do with ZPL.
 *
 * @param prints the user has asked to print it: the browser's question comes by itself.
 */
export function FileShown({ file, prints = false }: { file: ShownFile; prints?: boolean }) {
  const { blob, name } = file;
  const [url, setUrl] = useState<string>();
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  if (url === undefined) return null;
  const isPdf = blob.type.startsWith('application/pdf');
  return (
    <div class="archivo">
      <p class="acciones" role="status">
        <a href={url} download={name}>
          Descargar {name}
        </a>
        {isPdf && (
          <a href={url} target="_blank" rel="noopener">
            Abrir en otra pestaña
          </a>
        )}
      </p>
      {isPdf && (
        <iframe
          ref={frame}
          src={`${url}#navpanes=0`}
          title={name}
          onLoad={() => prints && print(frame.current)}
        />
      )}
    </div>
  );
}

/** Opens the browser's question. Firefox lets no page print a PDF in its frame: there people do it with the frame's own button. */
function print(frame: HTMLIFrameElement | null): void {
  try {
    frame?.contentWindow?.print();
  } catch {}
}

/** Saves a file without showing it. */
export function saveFile({ blob, name }: ShownFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
