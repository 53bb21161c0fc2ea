/** Reports whose sender is not known hold little memory, and do not keep GitHub's own reports out. */
import { expect, it, vi } from "vitest";
import { slowBody } from "../../support/bodies.ts";
import { freeze } from "../../support/clock.ts";
import { createGitHub } from "../../support/github.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_000_000;
const github = await createGitHub();
const PASTED = { path: "/leaks/reports", headers: { "Content-Type": "application/x-www-form-urlencoded" } };
const SIGNED = {
  path: "/leaks/github",
  headers: {
    "Content-Type": "application/json",
    "Github-Public-Key-Identifier": "a".repeat(64),
    "Github-Public-Key-Signature": "MAA=",
  },
};

/** Slow bodies, two of each address. All of them are being read. */
async function fill(isolate: Isolate, { path, headers }: typeof PASTED | typeof SIGNED, times = 16) {
  const bodies = Array.from({ length: times }, () => slowBody());
  const answers = bodies.map(({ readable }, index) =>
    isolate.request(path, {
      method: "POST",
      headers: { ...headers, "CF-Connecting-IP": `203.0.113.${index >> 1}` },
      body: readable,
    }),
  );
  await Promise.all(bodies.map(({ taken }) => taken));
  return { bodies, answers };
}

async function createScene() {
  freeze(START);
  vi.spyOn(console, "error").mockImplementation(() => {});
  const [isolate, owner] = [createIsolate(github.bindings), createOwner()];
  // GitHub's keys are known.
  await github.report(isolate, []);
  const { key } = await owner.create();
  const report = (address: string) =>
    github.report(isolate, [{ token: key, type: "t", url: null, source: null }], { "CF-Connecting-IP": address });
  const paste = (address: string) =>
    isolate.request(PASTED.path, {
      method: "POST",
      headers: { ...PASTED.headers, "CF-Connecting-IP": address },
      body: new URLSearchParams({ key }),
    });
  return { isolate, report, paste, whoami: () => owner.whoami(key) };
}

it("sixteen slow bodies without a credential leave GitHub's report its place", async () => {
  const { isolate, report, whoami } = await createScene();
  const { bodies, answers } = await fill(isolate, PASTED);
  expect((await report("192.0.2.1")).status).toBe(200);
  expect(await whoami()).toBe(401);
  for (const body of bodies) body.end();
  await Promise.all(answers);
});

it("one address has two places, and others are not kept out by it", async () => {
  const { isolate, report, paste, whoami } = await createScene();
  for (const kind of [PASTED, SIGNED]) {
    const { bodies, answers } = await fill(isolate, kind, 2);
    if (kind === SIGNED) expect((await report("203.0.113.0")).status).toBe(503);
    else expect((await paste("203.0.113.0")).headers.get("Location")).toBe("/leaks/again");
    expect(await whoami()).toBe(200);
    for (const body of bodies) body.end();
    await Promise.all(answers);
  }
  await fill(isolate, SIGNED, 2);
  expect((await report("203.0.113.1")).status).toBe(200);
  expect(await whoami()).toBe(401);
});

it("while all places are taken, a new report takes that of the oldest, once it has had a second", async () => {
  const { isolate, report, whoami } = await createScene();
  const { bodies, answers } = await fill(isolate, SIGNED);
  expect((await report("192.0.2.1")).status).toBe(503);
  vi.setSystemTime(START + 1_000);
  expect((await report("192.0.2.1")).status).toBe(200);
  expect(await whoami()).toBe(401);
  expect((await answers[0])?.status).toBe(408);
  for (const body of bodies) body.end();
  const others = await Promise.all(answers.slice(1));
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([401]));
});
