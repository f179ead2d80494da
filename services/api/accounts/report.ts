import type { ApiUser } from '#shared/auth/user-store.ts';

type ListedUser = Omit<ApiUser, 'passwordHash'>;

/** Describes a user in one line. */
export function summary({ username, permissions, originBranch }: ListedUser): string {
  return `${username} (permisos: ${permissions.join(', ') || 'ninguno'}; origen: ${originBranch ?? 'ninguno'})`;
}

/** Formats users as a table of names, states, origins and permissions. */
export function userTable(users: ListedUser[]): string {
  const rows = users.map(({ username, permissions, originBranch, disabled }) => [
    username,
    disabled ? 'deshabilitado' : 'activo',
    originBranch ?? '-',
    permissions.join(' ') || '-',
  ]);
  return aligned([['USUARIO', 'ESTADO', 'ORIGEN', 'PERMISOS'], ...rows]);
}

function aligned(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}
