/** What a tenant takes away after strangers have read it: it is gone at the next look, from pages, feeds and the sitemap. */
import { expect, it } from "vitest";
import { createIsolate } from "../../support/isolate.ts";
import { createPageScene, open } from "../../support/public-page.ts";

it("a comment that is deleted later leaves the idea's page", { tags: "slow" }, async () => {
  const { propose, panelist, manage, read } = await createPageScene();
  const [id, person] = [await propose({ title: "Bike racks" }), await panelist("Robin")];
  const write = async (body: string) =>
    (await (await person.send("POST", `/ideabank/proposals/${id}/comments`, { body })).json<{ id: string }>()).id;
  await write("A kind word");
  const rude = await write("A rude word");
  const page = () => read(`/ideas/${id}`);
  for (const text of ["A kind word", "A rude word"]) expect(await page()).toContain(text);
  await manage("DELETE", `/proposals/${id}/comments/${rude}`);
  const after = await page();
  expect(after).toContain("A kind word");
  expect(after).not.toContain("A rude word");
});

it.each(["hidden", "deleted"])(
  "an implemented idea that is %s later leaves its page, the lists, the changelog, its feeds and the sitemap",
  { tags: "slow" },
  async (how) => {
    const { propose, manage, bank, home, isolate } = await createPageScene();
    const [id, kept] = [
      await propose({ title: "Unannounced line" }),
      await propose({ title: "Bike racks", status: "implemented" }),
    ];
    await manage("PATCH", `/proposals/${id}`, { status: "implemented" });
    const belows = ["", "/roadmap", "/changelog"].map((below) => home + below);
    const files = ["changelog.atom", "changelog.json"].map((file) => `/b/${bank.id}/${file}`);
    const map = `/b/${bank.id}/sitemap.xml`;
    const read = async (path: string, at = isolate) => (await open(at, path)).text();
    for (const path of [...belows, ...files]) expect(await read(path), path).toContain("Unannounced line");
    for (const each of [id, kept]) expect(await read(map)).toContain(each);
    expect((await open(isolate, `${home}/ideas/${id}`)).status).toBe(200);

    const path = `/proposals/${id}`;
    await (how === "deleted" ? manage("DELETE", path) : manage("PATCH", path, { visibility: "hidden" }));
    // Here, where it was read a moment ago, and in an isolate that has never seen it.
    for (const at of [isolate, createIsolate()]) {
      for (const each of [...belows, ...files]) {
        const text = await read(each, at);
        expect([each, text.includes("Unannounced line"), text.includes("Bike racks")]).toEqual([each, false, true]);
      }
      const listed = await read(map, at);
      expect([listed.includes(id), listed.includes(kept)]).toEqual([false, true]);
      expect((await open(at, `${home}/ideas/${id}`)).status).toBe(404);
    }
  },
);
