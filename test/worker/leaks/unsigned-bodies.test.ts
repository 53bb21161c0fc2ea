/** Reports whose sender is not known hold little memory, and do not keep GitHub's own reports out. */
import { expect, it } from "vitest";
import { UnsignedBodies } from "../../../src/worker/leaks/unsigned-bodies.ts";
import { createGitHub } from "../../support/github.ts";
import { createIsolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";

/** A body of which nothing comes until it is ended. */
function heldBody() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  return { readable, end: () => writable.close().catch(() => {}) };
}

const github = await createGitHub();
const headersOf = (identifier: string) => ({
  "Content-Type": "application/json",
  "Github-Public-Key-Identifier": identifier,
  "Github-Public-Key-Signature": "MAA=",
});

it("an identifier that nobody has published is 401 before any of the body is read", async () => {
  const body = heldBody();
  const answer = await createIsolate(github.bindings).request("/leaks/github", {
    method: "POST",
    headers: headersOf("b".repeat(64)),
    body: body.readable,
  });
  expect(answer.status).toBe(401);
});

it.each([
  ["/leaks/github", headersOf("a".repeat(64)), 503],
  ["/leaks/reports", { "Content-Type": "application/x-www-form-urlencoded" }, 303],
])("%s reads at most 16 bodies at a time; when one has come, the next is read", async (path, headers, refused) => {
  const isolate = createIsolate(github.bindings);
  const bodies = Array.from({ length: 16 }, heldBody);
  const held = bodies.map(({ readable }) => isolate.request(path, { method: "POST", headers, body: readable }));
  const answered: Response[] = [];
  await expect
    .poll(async () => {
      const probe = heldBody();
      const answer = isolate.request(path, { method: "POST", headers, body: probe.readable });
      const first = await Promise.race([answer, new Promise<undefined>((done) => setTimeout(done, 20))]);
      await probe.end();
      if (first !== undefined) answered.push(first);
      return first?.status;
    })
    .toBe(refused);
  if (refused === 303) expect(answered[0]?.headers.get("Location")).toBe("/leaks/again");
  for (const body of bodies) await body.end();
  await Promise.all(held);
  const owner = createOwner();
  const { key } = await owner.create();
  const report = await github.report(isolate, [{ token: key, type: "t", url: null, source: null }]);
  expect(report.status).toBe(200);
});

it("a body that has not come in time is given up, and its place is free again", async () => {
  const bodies = new UnsignedBodies(20);
  for (let round = 0; round < 2; round += 1) {
    const held = Array.from({ length: 16 }, () => {
      const { readable } = heldBody();
      const request = new Request("https://api.example/leaks/reports", { method: "POST", body: readable });
      return bodies.read(request, ({ body }) => new Response(body).text());
    });
    for (const outcome of await Promise.allSettled(held))
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "invalid-request" } });
  }
});
