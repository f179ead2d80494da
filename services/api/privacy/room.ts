import { privacyData } from '#shared/privacy/room.ts';
import { accounts } from '../accounts/room.ts';
import { guides } from '../guides/room.ts';
import { defineRoom } from '../http/room.ts';
import { openPrivacy } from './open.ts';

export const privacy = defineRoom({
  data: privacyData,
  needs: [accounts, guides],
  errors: {},
  personalData: 'none',
  changes: 'none',
  open: openPrivacy,
});
