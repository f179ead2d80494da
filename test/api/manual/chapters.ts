import { addressOf } from '#services/api/manual/reference.ts';
import { SUBJECTS } from '#shared/rooms.ts';
import { repositoryFiles } from '#test/fixtures/repository.ts';

/** The paths of the guide's chapters, below `/api/docs`: a file each, and the first one at the address itself. */
const WRITTEN = repositoryFiles.flatMap((path) => {
  const [, name] = /^services\/api\/[\w-]+\/(\w+)\.md$/.exec(path) ?? [];
  return name === undefined ? [] : [name === 'inicio' ? '' : `/${name}`];
});
if (!WRITTEN.includes('')) throw new Error('services/api has no first chapter');

/** The same, with those that are made of the OpenAPI document. */
export const CHAPTERS = [
  ...WRITTEN,
  ...Object.keys(SUBJECTS).map((tag) => `/operaciones/${addressOf(tag as keyof typeof SUBJECTS)}`),
];
