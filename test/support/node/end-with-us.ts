import { type ChildProcess, spawn } from "node:child_process";

/**
 * Ends the process group that `leader` leads when this process has ended: after Ctrl-C, SIGTERM, and also after SIGKILL, which is how
 * Vitest ends its workers when a run is stopped. A handler of signals would not run then. A shell waits instead: the system closes
 * its standard input when this process is gone.
 */
export function endWithUs(leader: ChildProcess): void {
  const guard = spawn("sh", ["-c", 'read -r line; kill -s KILL -- "-$0"', String(leader.pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.unref();
  leader.once("close", () => guard.kill("SIGKILL"));
}
