/** Why the file system refused, in words for the person who ran the command. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  ENOTDIR: "a part of its path is a file, not a folder",
  EISDIR: "it is a folder, not a file",
  EEXIST: "a file is there already",
  EACCES: "you have no permission",
  EPERM: "you have no permission",
  EROFS: "the disk can only be read",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  EFBIG: "the file would be too long",
  EMFILE: "too many files are open",
};

/** Node's code for it. Undefined for an error that is not of the file system. */
export const fileCodeOf = (error: unknown): string | undefined =>
  error instanceof Error && "syscall" in error && "errno" in error && "code" in error ? String(error.code) : undefined;

/** Undefined for an error that is not of the file system. */
export function fileProblemOf(error: unknown): string | undefined {
  const code = fileCodeOf(error);
  if (code === undefined || !(error instanceof Error)) return undefined;
  const reason = REASONS[code];
  if (reason === undefined || !("path" in error)) return `The file system refused: ${reason ?? error.message}`;
  return `${error.path} cannot be used: ${reason}`;
}
