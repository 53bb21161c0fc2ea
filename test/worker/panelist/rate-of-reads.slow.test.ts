/** Panelists' rate of reads: 300 of proposals in 60 s, by Cloudflare's binding, which a minute of the clock resets. */
import { expect, it } from "vitest";
import { CHANGELOG, createPanel, PROPOSALS } from "../../support/panel.ts";
import { newId } from "../../support/world.ts";

// However the minutes fall, twice the limit and one more is too much for one of two minutes.
it("lets 300 reads pass and no more than 300 in a minute; writes, the changelog and GET /ideabank go on", async () => {
  const panel = await createPanel();
  const panelist = await panel.panelist();
  const read = async () => (await panelist.send("GET", `${PROPOSALS}/${newId()}`)).status;
  expect(await Promise.all(Array.from({ length: 300 }, read))).toEqual(Array(300).fill(404));
  expect(await Promise.all(Array.from({ length: 301 }, read))).toContain(429);
  expect((await panelist.send("PUT", `${PROPOSALS}/${await panel.propose()}/vote`)).status).toBe(200);
  for (let times = 0; times < 400; times++)
    for (const path of ["/ideabank", CHANGELOG]) expect((await panelist.send("GET", path)).status).toBe(200);
});
