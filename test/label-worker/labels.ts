import type { LabelPayload } from '#shared/contracts/label-job.ts';
import { fullGuide } from '../fixtures/client.ts';

type Changes = Partial<Omit<LabelPayload, 'guide'>> & {
  recipient?: Partial<LabelPayload['guide']['Destinatario']>;
};

/** A letter label of a guide with every field, with parts replaced. */
export function label({ recipient, ...changes }: Changes = {}): LabelPayload {
  const guide = fullGuide();
  const number = changes.number ?? '482913650724';
  return {
    kind: 'letter',
    packages: 1,
    number,
    createdAt: '2026-07-14T10:32:05',
    service: 'Domicilio',
    carrier: 'Envíos del Valle',
    trackingUrl: `https://rastreo.example/guia/${number}`,
    origin: { code: 'MEX01', name: 'Ciudad de México Centro' },
    destination: { code: 'MTY01', name: 'Monterrey Centro' },
    guide: { ...guide, Destinatario: { ...guide.Destinatario, ...recipient } },
    ...changes,
  };
}

/** `count` labels of either kind in turns, each with a number of its own. */
export function mixedLabels(count: number): LabelPayload[] {
  return Array.from({ length: count }, (_, i) =>
    label({
      kind: i % 2 ? 'small' : 'letter',
      packages: i % 2 ? 1 + (i % 3) : 1,
      number: `${482913650700 + i}`,
    }),
  );
}
