import { MANIFEST_NUMBER } from '#shared/manifests/manifest.ts';
import { letteredNumbers } from '../guides/lettered-number.ts';

export const manifestNumbers = letteredNumbers(MANIFEST_NUMBER);
