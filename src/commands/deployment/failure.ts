/** Why a command stopped, for the person who ran it: no stack trace, and what to do. */
export class Failure extends Error {}

/** Runs a command of this folder. A Failure is printed as it is; anything else is a defect and keeps its stack trace. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`\n${error.message}`);
    process.exitCode = 1;
  }
}
