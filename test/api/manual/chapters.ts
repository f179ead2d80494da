import { repositoryFiles } from '#test/fixtures/repository.ts';

/** The paths of the guide's chapters, below `/api/docs`: a file each, and the first one at the address itself. */
export const CHAPTERS = repositoryFiles.flatMap((path) => {
  const [, name] = /^services\/api\/[\w-]+\/(\w+)\.md$/.exec(path) ?? [];
  return name === undefined ? [] : [name === 'inicio' ? '' : `/${name}`];
});
if (!CHAPTERS.includes('')) throw new Error('services/api has no first chapter');
