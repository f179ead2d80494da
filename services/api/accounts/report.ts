import type { ApiUser } from '#shared/auth/user-store.ts';

type ListedUser = Pick<ApiUser, 'username' | 'account' | 'permissions' | 'originBranch'>;

/** Describes a user in one line. */
export function summary({ username, account, permissions, originBranch }: ListedUser): string {
  const allowed = permissions.join(', ') || 'ninguno';
  return `${username} (cuenta: ${account}; permisos: ${allowed}; origen: ${originBranch ?? 'ninguno'})`;
}

/** Formats users as a table of names, accounts, states, origins and permissions. */
export function userTable(users: (ListedUser & Pick<ApiUser, 'disabled'>)[]): string {
  const rows = users.map(({ username, account, permissions, originBranch, disabled }) => [
    username,
    account,
    disabled ? 'deshabilitado' : 'activo',
    originBranch ?? '-',
    permissions.join(' ') || '-',
  ]);
  return aligned([['USUARIO', 'CUENTA', 'ESTADO', 'ORIGEN', 'PERMISOS'], ...rows]);
}

/** Formats rows of cells as columns; the first row is the heading. */
export function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
