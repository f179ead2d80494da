import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { saveFile } from '../ui/file-shown.tsx';
import { Message } from '../ui/message.tsx';
import { readInWorker } from './reading/read-in-worker.ts';
import { UnreadableFile } from './reading/read-text.ts';
import { type Sheet, sheetOf } from './rows.ts';
import { sampleTable } from './saved.ts';

/** Takes a file that is dropped or chosen, or cells that are pasted. */
export function ChooseFile({ onChosen }: { onChosen: (name: string, sheet: Sheet) => void }) {
  const [reason, setReason] = useState<string>();
  const [isReading, setReading] = useState(false);
  const [isOver, setOver] = useState(false);

  const read = async (name: string, source: File | string) => {
    if (isReading) return;
    setReading(true);
    setReason(undefined);
    try {
      const sheet = sheetOf(await readInWorker(source));
      if (sheet.count === 0)
        throw new UnreadableFile(
          'No hay pedidos: hace falta una fila de encabezados, y una fila por guía debajo.',
        );
      onChosen(name, sheet);
    } catch (error) {
      if (!(error instanceof UnreadableFile)) throw error;
      setReason(error.message);
      setReading(false);
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer?.files ?? [];
    if (file) void read(file.name, file);
  };
  return (
    <>
      <p>
        Suba su archivo de pedidos, una fila por guía. Aquí se corrige lo que esté mal, antes de crear nada.
      </p>
      {reason !== undefined && <Message kind="bad">{reason}</Message>}
      <label
        class={isOver ? 'soltar encima' : 'soltar'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <span>{isReading ? 'Leyendo…' : 'Elija un archivo, o suéltelo aquí: CSV o Excel (.xlsx)'}</span>
        <input
          type="file"
          accept=".csv,.txt,.tsv,.xlsx,text/csv,text/plain"
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void read(file.name, file);
            currentTarget.value = '';
          }}
        />
      </label>
      <label class="pegar">
        <span>O copie las celdas en su hoja de cálculo, con sus encabezados, y péguelas aquí:</span>
        <textarea
          rows={3}
          onPaste={(event) => {
            event.preventDefault();
            void read('Celdas pegadas', event.clipboardData?.getData('text/plain') ?? '');
          }}
        />
      </label>
      <p>
        ¿No sabe qué columnas lleva?{' '}
        <Button quiet onClick={saveSample}>
          Bajar un archivo de ejemplo
        </Button>
      </p>
    </>
  );
}

async function saveSample(): Promise<void> {
  const { asXlsx } = await import('./tables.ts');
  saveFile({ blob: asXlsx(sampleTable()), name: 'ejemplo-de-pedidos.xlsx' });
}
