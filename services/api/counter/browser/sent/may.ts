import { session } from '../api/session.ts';

/** Returns whether the user has a permission. What is not allowed is not offered; the service decides anyway. */
export function may(permission: string): boolean {
  return session.get()?.permissions.includes(permission) ?? false;
}
