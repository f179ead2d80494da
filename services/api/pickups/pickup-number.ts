import { PICKUP_NUMBER } from '#shared/pickups/pickup.ts';
import { letteredNumbers } from '../guides/lettered-number.ts';

export const pickupNumbers = letteredNumbers(PICKUP_NUMBER);
