/**
 * Whose an address is when the platform sends its own identifier of a person, the subject: an address that is somebody's already goes to a
 * subject only by a code in an e-mail to it, or by the operator's word.
 */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { add, invite, membersOf } from "../../support/members.ts";
import { type Bindings, sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner, ORIGIN } from "../../support/owner.ts";

const newEmail = () => `${crypto.randomUUID()}@example.com`;
const newSubject = () => `customer-${crypto.randomUUID()}`;
const withEmail: Bindings & { NOTICES: SendEmail } = {
  ...withSecret,
  ...{ NOTICES: env.EMAIL, NOTICES_FROM: "n@example.com", SIGN_IN_URL: "https://app.example.com/" },
};
const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

const ask = (body: object, bindings: Bindings = withSecret) =>
  sendAsOperator("POST", "/operator/sign-ins", body, bindings);
const bind = (subject: string, email: string) => sendAsOperator("POST", "/operator/subjects", { subject, email });
const addressOf = async (subject: string) =>
  (await selectEverywhere("SELECT subject, email FROM subjects")).find((row) => row.subject === subject)?.email;

/** Opens a link as a browser without cookies, and reads the names of the keys that it then sees; undefined without a session. */
async function keysBehind(answer: Response, send: (url: string) => Promise<Response> = open) {
  if (answer.status !== 201) return answer.status;
  return keysOf(await send((await answer.json<{ url: string }>()).url));
}
const open = (url: string) => createIsolate(withSecret).request(url.slice(ORIGIN.length));
async function keysOf(used: Response): Promise<readonly string[] | undefined> {
  const cookie = used.headers.get("Set-Cookie")?.split(";")[0];
  if (cookie === undefined) return undefined;
  const keys = await createIsolate(withSecret).request("/account/api/keys", { headers: { Cookie: cookie } });
  return (await keys.json<{ items: { name: string }[] }>()).items.map(({ name }) => name);
}
const enter = (url: string, code: string, headers: Record<string, string> = FROM_HERE) => {
  const { searchParams } = new URL(url);
  const fields = { link: searchParams.get("link") ?? "", subject: searchParams.get("subject") ?? "", code };
  return createIsolate(withSecret).request("/account/sign-in", {
    ...{ method: "POST", headers, body: new URLSearchParams(fields) },
  });
};
/** An owner of before: no subject has the address. */
async function ownerOfBefore(name = "Theirs") {
  const owner = createOwner();
  await owner.create(name);
  return owner;
}
/** A person whom the platform has signed in with a subject, and who has an account. */
async function personWith(name: string) {
  const person = { subject: newSubject(), email: newEmail() };
  expect(await keysBehind(await ask(person))).toEqual([]);
  await createOwner(person.email).create(name);
  return person;
}

const sent: { to: string; subject: string; text: string; html: string }[] = [];
const codeIn = (text = "") => /^[0-9a-z]{4}-[0-9a-z]{4}-[0-9a-z]{4}$/m.exec(text)?.[0] ?? "";
beforeEach(() => {
  sent.length = 0;
  vi.spyOn(env.EMAIL, "send").mockImplementation(async (email) => {
    sent.push(email as never);
    return { messageId: "1" } as never;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe("where no e-mail is sent", () => {
  it("neither a new nor a known subject gets an owner of before, in any case of the address, and the answer says what to do", {
    tags: "slow",
  }, async () => {
    const owner = await ownerOfBefore();
    const mallory = await personWith("Of Mallory");
    for (const subject of [mallory.subject, newSubject()])
      for (const email of [owner.email, owner.email.toUpperCase()]) {
        const answer = await ask({ subject, email });
        const { error, detail } = await answer.json<{ error: string; detail: string }>();
        expect([answer.status, error]).toEqual([409, "conflict"]);
        expect(detail).toContain("npm run account -- bind-subject <subject> <address>");
      }
    expect(await addressOf(mallory.subject)).toBe(mallory.email);
    expect(await keysBehind(await ask(mallory))).toEqual(["Of Mallory"]);
    expect((await owner.keys()).map(({ name }) => name)).toEqual(["Theirs"]);
    expect((await membersOf(owner)).items.map(({ email }) => email)).toEqual([owner.email]);
    expect(sent).toEqual([]);
  });

  it("a member of somebody's account, who has made none, is somebody too", async () => {
    const founder = await ownerOfBefore();
    const member = createOwner();
    await add(founder, member);
    expect((await ask({ subject: newSubject(), email: member.email })).status).toBe(409);
  });

  it("the operator's word is one command for an owner, and the owner comes in as ever", async () => {
    const owner = await ownerOfBefore();
    const person = { subject: newSubject(), email: owner.email };
    expect((await ask(person)).status).toBe(409);
    const bound = await bind(person.subject, owner.email.toUpperCase());
    expect([bound.status, await bound.json()]).toEqual([200, person]);
    expect((await bind(person.subject, owner.email)).status).toBe(200);
    expect(await keysBehind(await ask(person))).toEqual(["Theirs"]);
    expect((await ask({ ...person, subject: newSubject() })).status).toBe(409);
  });

  it("with the operator's word a known subject's accounts get the address, and a subject of before makes way", {
    tags: "slow",
  }, async () => {
    const [person, owner] = [await personWith("Mine"), await ownerOfBefore()];
    expect((await bind(person.subject, owner.email)).status).toBe(200);
    expect(await keysBehind(await ask({ ...person, email: owner.email }))).toEqual(["Theirs"]);
    const accounts = await createOwner(owner.email).json("GET", "/accounts");
    expect((await accounts.json<{ items: object[] }>()).items).toHaveLength(2);
    const again = newSubject();
    expect((await bind(again, owner.email)).status).toBe(200);
    expect([await addressOf(again), await addressOf(person.subject)]).toEqual([owner.email, undefined]);
    expect((await ask({ ...person, email: owner.email })).status).toBe(409);
  });

  it("a request without a subject rests on the address alone, as ever", async () => {
    const owner = await ownerOfBefore();
    expect(await keysBehind(await ask({ email: owner.email }))).toEqual(["Theirs"]);
  });

  it("who was invited comes with a new subject and accepts; a known subject does not get the invited address", {
    tags: "slow",
  }, async () => {
    const founder = await ownerOfBefore();
    const [invited, mallory] = [newEmail(), await personWith("Of Mallory")];
    await invite(founder, invited);
    expect((await ask({ ...mallory, email: invited })).status).toBe(409);
    const colleague = { subject: newSubject(), email: invited };
    expect((await ask(colleague)).status).toBe(201);
    // Another new one comes too late, though the colleague has no account yet.
    expect((await ask({ subject: newSubject(), email: invited })).status).toBe(409);
    expect(await addressOf(colleague.subject)).toBe(invited);
  });
});

describe("an address that nobody has", { tags: "slow" }, () => {
  it("goes to one of two subjects that come with it at the same moment, and neither gets the other's accounts", async () => {
    const people = [await personWith("One"), await personWith("Two")] as const;
    const email = newEmail();
    const answers = await Promise.all(people.map(({ subject }) => ask({ subject, email })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const [winner, loser] = answers[0]?.status === 201 ? people : people.toReversed();
    if (winner === undefined || loser === undefined) throw new Error("nobody has won");
    expect(await keysBehind(await ask({ ...winner, email }))).toEqual([winner === people[0] ? "One" : "Two"]);
    expect(await keysBehind(await ask(loser))).toEqual([winner === people[0] ? "Two" : "One"]);
    const accounts = await createOwner(email).json("GET", "/accounts");
    expect((await accounts.json<{ items: object[] }>()).items).toHaveLength(1);
  });

  it("is reserved while a move to it is interrupted: another subject gets nothing, and the next sign-in completes it", async () => {
    const [person, other] = [await personWith("Mine"), await personWith("Of another")];
    for (let nth = 1; nth <= 9; nth++) {
      const email = newEmail();
      let calls = 0;
      const failing = interceptDatabases(withSecret, () => async (_, makeCall) => {
        calls += 1;
        if (calls === nth) throw new Error("Network connection lost.");
        return makeCall();
      });
      const first = await ask({ ...person, email }, failing);
      expect([201, 503]).toContain(first.status);
      const stolen = await ask({ ...other, email });
      // Before anything was moved the address is free.
      if (stolen.status === 201) {
        expect(await keysBehind(stolen)).toEqual(["Of another"]);
        expect(await keysBehind(await ask(other))).toEqual(["Of another"]);
        expect(await keysBehind(await ask(person))).toEqual(["Mine"]);
        continue;
      }
      expect(stolen.status).toBe(409);
      // Also when its person has a third address by now.
      const next = nth % 2 === 0 ? email : newEmail();
      expect(await keysBehind(await ask({ ...person, email: next }))).toEqual(["Mine"]);
      person.email = next;
    }
    const rows = await selectEverywhere("SELECT subject FROM subjects");
    expect(rows.map(({ subject }) => String(subject)).filter((subject) => subject.includes(" "))).toEqual([]);
  });
});

describe("where e-mail is sent", () => {
  it("the address is asked by a code, once; then the owner comes in as ever, and no operator was needed", {
    tags: "slow",
  }, async () => {
    const owner = await ownerOfBefore();
    const person = { subject: newSubject(), email: owner.email };
    const answer = await ask({ ...person, returnTo: "/account/people" }, withEmail);
    expect(answer.status).toBe(201);
    const { url } = await answer.json<{ url: string }>();
    const page = await open(url);
    expect([page.status, page.headers.getSetCookie()]).toEqual([200, []]);
    expect(await page.text()).toContain(`We sent a code to <strong>${owner.email}</strong>`);
    expect(sent.map(({ to, subject }) => [to, subject])).toEqual([[owner.email, "Your code for Idea boards"]]);
    const code = codeIn(sent[0]?.text);
    expect([code.length, sent[0]?.html.includes(code)]).toEqual([14, true]);
    for (const wrong of ["", "nope", code.replace(/.$/, (last) => (last === "0" ? "1" : "0"))]) {
      const refused = await enter(url, wrong);
      expect([refused.status, refused.headers.getSetCookie()]).toEqual([400, []]);
    }
    expect(await addressOf(person.subject)).toBeUndefined();
    const used = await enter(url, ` ${code.toUpperCase().replaceAll("-", " ")} `);
    expect([used.status, used.headers.get("Location")]).toEqual([303, "/account/people"]);
    expect(await keysOf(used)).toEqual(["Theirs"]);
    expect((await enter(url, code)).status).toBe(410);
    expect(await keysBehind(await ask(person))).toEqual(["Theirs"]);
    expect((await ask({ ...person, subject: newSubject() })).status).toBe(409);
    expect(sent).toHaveLength(1);
  });

  it("a known subject with a code keeps its accounts and has those of the address, too", { tags: "slow" }, async () => {
    const [person, owner] = [await personWith("Mine"), await ownerOfBefore()];
    const { url } = await (await ask({ ...person, email: owner.email }, withEmail)).json<{ url: string }>();
    expect(await addressOf(person.subject)).toBe(person.email);
    expect(await keysOf(await enter(url, codeIn(sent[0]?.text)))).toEqual(["Theirs"]);
    const accounts = await createOwner(owner.email).json("GET", "/accounts");
    expect((await accounts.json<{ items: object[] }>()).items).toHaveLength(2);
    expect(await addressOf(person.subject)).toBe(owner.email);
  });

  it("the link signs nobody in without the code: not without its subject, with another one, as a plain link, or from another page", async () => {
    const [owner, mallory] = [await ownerOfBefore(), newSubject()];
    const first = await (await ask({ subject: newSubject(), email: owner.email }, withEmail)).json<{ url: string }>();
    const code = codeIn(sent[0]?.text);
    const { url } = await (await ask({ subject: mallory, email: owner.email }, withEmail)).json<{ url: string }>();
    const plain = new URL(url);
    plain.searchParams.delete("subject");
    const other = new URL(url);
    other.searchParams.set("subject", newSubject());
    for (const changed of [plain.href, other.href]) {
      const opened = await open(changed);
      expect([opened.status, opened.headers.getSetCookie()]).toEqual([410, []]);
    }
    const form = { method: "POST", headers: FROM_HERE };
    const link = plain.searchParams.get("link") ?? "";
    const asLink = await createIsolate(withSecret).request("/account/sign-in", {
      ...form,
      body: new URLSearchParams({ link }),
    });
    expect(asLink.status).toBe(410);
    // The code of another sign-in, and the right one from another site.
    expect((await enter(url, code)).status).toBe(400);
    expect((await enter(url, codeIn(sent[1]?.text), { Origin: "https://evil.example" })).status).toBe(403);
    expect((await enter(other.href, codeIn(sent[1]?.text))).status).toBe(410);
    expect(await addressOf(mallory)).toBeUndefined();
    expect(await keysOf(await enter(first.url, code))).toEqual(["Theirs"]);
    // By then the address is another subject's.
    expect((await enter(url, codeIn(sent[1]?.text))).status).toBe(409);
  });

  it("a code works for 15 minutes, and an address gets at most five in an hour", { tags: "slow" }, async () => {
    const start = Date.now();
    freeze(start);
    const owner = await ownerOfBefore();
    const person = { subject: newSubject(), email: owner.email };
    const { url } = await (await ask(person, withEmail)).json<{ url: string }>();
    for (let times = 2; times <= 5; times++) expect((await ask(person, withEmail)).status).toBe(201);
    const refused = await ask({ ...person, subject: newSubject() }, withEmail);
    expect([refused.status, refused.headers.get("Retry-After"), sent.length]).toEqual([429, "3600", 5]);
    vi.setSystemTime(start + 900_000);
    expect((await enter(url, codeIn(sent[0]?.text))).status).toBe(410);
    vi.setSystemTime(start + 3_600_000);
    const late = await (await ask(person, withEmail)).json<{ url: string }>();
    vi.setSystemTime(start + 3_600_000 + 899_999);
    expect(await keysOf(await enter(late.url, codeIn(sent[5]?.text)))).toEqual(["Theirs"]);
  });

  it("an e-mail that cannot be sent is 503, and nobody is signed in", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    vi.spyOn(env.EMAIL, "send").mockRejectedValue(new Error("no such domain"));
    const owner = await ownerOfBefore();
    const answer = await ask({ subject: newSubject(), email: owner.email }, withEmail);
    expect([answer.status, (await answer.json<{ error: string }>()).error]).toEqual([503, "service-unavailable"]);
  });
});
