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

it("sixteen slow bodies without a credential leave GitHub's report its place", { tags: "slow" }, async () => {
  const { isolate, report, whoami } = await createScene();
  const { bodies, answers } = await fill(isolate, PASTED);
  expect((await report("192.0.2.1")).status).toBe(200);
  expect(await whoami()).toBe(401);
  for (const body of bodies) body.end();
  await Promise.all(answers);
});

it("one address has two places, and others are not kept out by it", { tags: "slow" }, async () => {
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

it("while all places are taken, a new report takes that of the body that has come the slowest", {
  tags: "slow",
}, async () => {
  const { isolate, report, whoami } = await createScene();
  const half = slowBody("[".repeat(32 * 1024));
  const headers = { ...SIGNED.headers, "CF-Connecting-IP": "198.51.100.1" };
  const answer = isolate.request(SIGNED.path, { method: "POST", headers, body: half.readable });
  await half.taken;
  vi.setSystemTime(START + 5);
  const { bodies, answers } = await fill(isolate, SIGNED, 15);
  vi.setSystemTime(START + 10);
  expect((await report("192.0.2.1")).status).toBe(200);
  expect(await whoami()).toBe(401);
  expect((await answers[0])?.status).toBe(408);
  for (const body of [half, ...bodies]) body.end();
  const others = await Promise.all([answer, ...answers.slice(1)]);
  expect(new Set(others.map(({ status }) => status))).toEqual(new Set([401]));
});

/** A request that has sent its whole body, and not yet said that it was all. */
async function begin(
  isolate: Isolate,
  { path, headers }: typeof PASTED | typeof SIGNED,
  text: string,
  address: string,
) {
  const body = slowBody(text);
  const init = { method: "POST", headers: { ...headers, "CF-Connecting-IP": address }, body: body.readable };
  const answer = isolate.request(path, init);
  // One that is refused is not read.
  await Promise.race([body.taken, answer]);
  return { end: body.end, answer };
}

it.each([
  ["GitHub's", SIGNED],
  ["pasted", PASTED],
] as const)(
  "a hundred slow bodies a second, of a hundred addresses, keep none of 20 reports out: %s",
  { tags: "slow" },
  async (_, kind) => {
    const { isolate } = await createScene();
    const signature = await github.sign("[]");
    const honest = { ...kind, headers: { ...kind.headers, "Github-Public-Key-Signature": signature } };
    const [slow, reports] = [[], []] as [Awaited<ReturnType<typeof begin>>[], Awaited<ReturnType<typeof begin>>[]];
    for (let index = 0; index < 100; index += 1) {
      vi.setSystemTime(START + 10 * index);
      slow.push(await begin(isolate, kind, "[", `203.0.113.${index}`));
      if (index % 5 !== 0) continue;
      // Its end comes after five more slow bodies.
      reports.at(-1)?.end();
      reports.push(await begin(isolate, honest, kind === SIGNED ? "[]" : "key=none", `192.0.2.${index}`));
    }
    for (const { end } of [...reports, ...slow]) end();
    const answers = await Promise.all(reports.map(({ answer }) => answer));
    expect(answers.map(({ status, headers }) => headers.get("Location") ?? status)).toEqual(
      Array.from({ length: 20 }, () => (kind === SIGNED ? 200 : "/leaks/thanks")),
    );
    await Promise.all(slow.map(({ answer }) => answer));
  },
);
