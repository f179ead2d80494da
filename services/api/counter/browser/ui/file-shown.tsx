import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** A file of the API, with the name under which it is saved. */
export type ShownFile = { blob: Blob; name: string };

/** Shows a file to print it, or to save it, which is all that a browser can do with ZPL. */
export function FileShown({ file, onClose }: { file: ShownFile; onClose: () => void }) {
  const { blob, name } = file;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  const isPdf = blob.type.startsWith('application/pdf');
  return (
    <Dialog title={isPdf ? 'Listo para imprimir' : 'Archivo listo'} onClose={onClose}>
      {url !== undefined && (
        <>
          {isPdf && <iframe class="archivo" src={url} title={name} />}
          {blob.type.startsWith('image/') && <img class="archivo" src={url} alt={name} />}
          <p class="acciones">
            <a class="boton" href={url} download={name}>
              Descargar {name}
            </a>
            {isPdf && (
              <a href={url} target="_blank" rel="noopener">
                Abrir en otra pestaña
              </a>
            )}
            <Button quiet onClick={onClose}>
              Cerrar
            </Button>
          </p>
        </>
      )}
    </Dialog>
  );
}

/** Saves a file without showing it. */
export function saveFile({ blob, name }: ShownFile): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
