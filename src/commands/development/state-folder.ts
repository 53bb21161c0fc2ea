/** The folder of local data belongs to one `npm run dev` at a time: two would lock each other's database. */
import { rmSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

/** A file of the local data is not as SQLite left it. */
export class DamagedFile extends Error {}

type Holder = { readonly pid: number; readonly port: number };

/** Takes the folder until this process ends. Rejects, naming the holder, while another `npm run dev` has it. */
export async function takeStateFolder(folder: string, port: number): Promise<void> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, "dev.lock");
  if (await createLock(file, port)) return;
  // An empty lock file is being written now, or was left by a crash: read it again after half a second.
  const other = (await readHolder(file)) ?? (await setTimeout(500).then(() => readHolder(file)));
  if (other !== undefined && isAnother(other.pid)) throw alreadyRunning(other);
  await rm(file, { force: true });
  if (!(await createLock(file, port))) throw alreadyRunning((await readHolder(file)) ?? { pid: 0, port: 0 });
}

/** "wx" fails if the file exists: of two starts at the same time, only one succeeds. */
async function createLock(file: string, port: number): Promise<boolean> {
  const holder: Holder = { pid: process.pid, port };
  try {
    await writeFile(file, JSON.stringify(holder), { flag: "wx" });
    // Another process has the number one day: it must not be taken for the holder.
    process.once("exit", () => rmSync(file, { force: true }));
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

const readHolder = (file: string): Promise<Holder | undefined> =>
  readFile(file, "utf8")
    .then((text): Holder => JSON.parse(text))
    .catch(() => undefined);

/** Whether another process with this number runs. In a container each start has the same number: a crash left our own. */
function isAnother(pid: number): boolean {
  try {
    return pid !== process.pid && process.kill(pid, 0);
  } catch {
    return false;
  }
}

const alreadyRunning = ({ pid, port }: Holder): Error =>
  new Error(
    `npm run dev is already running here, on port ${port} (process ${pid}). ` +
      "Stop it, or keep other data: npm run dev -- --persist-to another-folder",
  );
