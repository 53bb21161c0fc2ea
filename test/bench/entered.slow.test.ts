/** How many of our files a reader has to know to follow a warm request. A request that enters more needs a reason. */
import { expect, it } from "vitest";
import { measureEntered } from "./measure/entered.ts";

/**
 * `vote`: two of them are for its part of the Worker, which is loaded when it is first needed. `revocation`: three of them are for the roles
 * of members, which the statement that writes asks for again.
 */
const MOST = { changelog: 19, whoami: 20, vote: 47, revocation: 48 };

it("a warm request enters few files", async () => {
  const entered = await measureEntered();
  for (const [request, most] of Object.entries(MOST)) {
    const files = [...entered[request as keyof typeof MOST].keys()];
    expect(files.length, `${request} enters ${files.join(", ")}`).toBeLessThanOrEqual(most);
    expect(files.length).toBeGreaterThan(most / 2);
  }
});
