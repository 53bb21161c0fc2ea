/** The attack on the sign-in of a board's page: what somebody tries, and what it comes to. */
import { describe, expect, it, vi } from "vitest";
import { LIMITS } from "../../../src/worker/database/pages/sign-in-codes.ts";
import { countStores } from "../../support/intercept.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import {
  codeIn,
  createSignInScene,
  FROM_HERE,
  newEmail,
  PageVisitor,
  withMail,
  wrong,
} from "../../support/page-visitor.ts";
import { addIdeaBank } from "../../support/world.ts";

const MINUTE = 60_000;
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);
/** Another sender each time. */
const sender = (index: number) => `2001:db8:${index.toString(16)}::1`;
const times = <Answer>(count: number, act: (index: number) => Answer) =>
  Array.from({ length: count }, (_, index) => act(index));
/** The way to another board of the same account, with sign-in by e-mail. */
async function anotherBoard({ bank, tenant }: Awaited<ReturnType<typeof createSignInScene>>): Promise<string> {
  const { id } = await addIdeaBank({ accountId: bank.accountId });
  await tenant.send("PATCH", `/tenant/ideabanks/${id}`, { publicPage: true, emailSignIn: true });
  return `/b/${id}`;
}

describe("guessing a code", () => {
  it("without that cookie reaches nothing, and uses up nothing of the person who asked", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const owner = newVisitor();
    await owner.ask(newEmail());
    const code = codeIn(mails[0]);
    const strangers = times(100, async (index) => {
      const stranger = newVisitor(sender(index));
      await stranger.open("/sign-in");
      return stranger.enter(index === 0 ? code : wrong(code, index));
    });
    for (const answer of await Promise.all(strangers))
      expect([answer.status, answer.headers.get("Location")]).toEqual([200, null]);
    expect(await rows("SELECT tries FROM sign_in_codes")).toEqual([{ tries: 0 }]);
    expect((await owner.enter(code)).status).toBe(303);
  });

  it("of a mailbox goes no further than the limits of an hour, however many codes are asked for", {
    tags: "slow",
  }, async () => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const email = newEmail();
    for (let index = 0; index < 20; index += 1) {
      const guesser = newVisitor(sender(Math.floor(index / 5)));
      await guesser.ask(email.replace("@", `+${index}@`));
      for (let guess = 1; guess <= 6; guess += 1) await guesser.enter(wrong(codeIn(mails.at(-1)), guess));
      later(MINUTE / 2);
    }
    const [{ tries, codes } = { tries: 0, codes: 0 }] = await rows<{ tries: number; codes: number }>(
      "SELECT sum(tries) AS tries, count(*) AS codes FROM sign_in_codes",
    );
    expect([codes, tries]).toEqual([LIMITS.mailbox, LIMITS.tries]);
    expect(mails).toHaveLength(LIMITS.mailbox);
  });

  it("of a mailbox is bounded for all boards of an account together", { tags: "slow" }, async () => {
    const scene = await createSignInScene();
    const { mails, rows } = scene;
    const [visitor, email] = [scene.visitor(), newEmail()];
    await visitor.ask(email);
    for (let guess = 1; guess <= LIMITS.triesOfCode; guess += 1) await visitor.enter(wrong(codeIn(mails[0]), guess));
    const there = new PageVisitor(await anotherBoard(scene), scene.isolate);
    await there.ask(email);
    await rows("UPDATE sign_in_codes SET tries = ?1 WHERE idea_bank_id = ?2", LIMITS.tries, scene.bank.id);
    expect((await there.enter(codeIn(mails[1]))).status).toBe(200);
    expect(there.page).toContain("Too many tries.");
  });

  it("of a mailbox is bounded by what was entered, even if more e-mails had been sent", async () => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    await rows(
      `INSERT INTO sign_in_codes SELECT '1other' || key || 'xxxxx', account_id, idea_bank_id, 'b', NULL, mailbox, iif(?1 = 'all', key, sender), 'c', created_at, expires_at, 5
       FROM sign_in_codes JOIN json_each('[0,1,2,3]')`,
      "of the sender",
    );
    expect((await visitor.enter(codeIn(mails[0]))).status).toBe(200);
    expect(visitor.page).toContain("Too many tries.");
  });
});

describe("a mail flood", () => {
  it("to a mailbox ends after four e-mails of one sender, whatever tags and dots it writes", {
    tags: "slow",
  }, async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const local = `flood${Date.now().toString(36)}`;
    const asked: number[] = [];
    for (let index = 0; index < 8; index += 1) {
      const dotted = `${local.slice(0, index + 1)}.${local.slice(index + 1)}`;
      const visitor = newVisitor(`2001:db8:1:2:${index}::9`);
      asked.push((await visitor.ask(`${dotted}+${index}@${index % 2 ? "gmail" : "googlemail"}.com`)).status);
    }
    expect(asked).toEqual([303, 303, 303, 303, 200, 200, 200, 200]);
    expect(mails).toHaveLength(LIMITS.mailboxOfSender);
  });

  it("keeps the owner of an address out neither by one sender, nor, in a browser that was signed in before, by a hundred", {
    tags: "slow",
  }, async () => {
    const { signIn, visitor: newVisitor, mails } = await createSignInScene();
    const email = newEmail();
    const { visitor: owner } = await signIn(email);
    later(61 * MINUTE);
    for (let index = 0; index < 10; index += 1) await newVisitor(sender(1)).ask(email);
    const elsewhere = newVisitor(sender(2));
    expect((await elsewhere.ask(email)).status).toBe(303);
    expect((await elsewhere.enter(codeIn(mails.at(-1)))).status).toBe(303);
    for (let index = 0; index < 100; index += 1) await newVisitor(sender(index + 3)).ask(email);
    expect((await newVisitor(sender(999)).ask(email)).status).toBe(200);
    expect((await owner.ask(email)).status).toBe(303);
    expect((await owner.enter(codeIn(mails.at(-1)))).status).toBe(303);
  });

  it("of many addresses by one sender ends after thirty, at the same moment too", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const forms = await Promise.all(
      times(40, async () => {
        const visitor = newVisitor(sender(7));
        await visitor.open("/sign-in");
        return { visitor, fields: visitor.hidden("/sign-in") };
      }),
    );
    later(2_000);
    const asked = await Promise.all(
      forms.map(({ visitor, fields }) => visitor.post("/sign-in", { ...fields, email: newEmail() })),
    );
    expect(asked.filter(({ status }) => status === 303)).toHaveLength(LIMITS.sender);
    expect(mails).toHaveLength(LIMITS.sender);
  });

  it("of forms ends before the database is asked", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const [form, code] = [visitor.hidden("/sign-in"), visitor.hidden("/sign-in/code")];
    later(6_000);
    // The isolate knows the board.
    await newVisitor().open("/sign-in");
    const { env: counted, counts } = countStores({
      ...withMail,
      PANELIST_READS: { limit: async () => ({ success: false }) },
    });
    expect((await visitor.post("/sign-in", form, counted)).status).toBe(429);
    expect((await visitor.post("/sign-in/code", { ...code, code: codeIn(mails[0]) }, counted)).status).toBe(429);
    expect([counts.d1, mails.length]).toEqual([0, 1]);
  });

  it("of invented cookies, for the page of the code, ends before the database is asked", async () => {
    const { visitor: newVisitor, bank } = await createSignInScene();
    await newVisitor().open("/sign-in");
    const { env: counted, counts } = countStores({
      ...withMail,
      PANELIST_READS: { limit: async () => ({ success: false }) },
    });
    for (let index = 0; index < 3; index += 1) {
      const visitor = newVisitor();
      visitor.cookies[`__Host-code-${bank.id}`] = `${String(index).padStart(22, "a")}..`;
      expect((await visitor.open("/sign-in/code", counted)).status).toBe(429);
    }
    expect(counts.d1).toBe(0);
  });

  it("to a mailbox ends for all boards of an account together, where its people are the same", {
    tags: "slow",
  }, async () => {
    const scene = await createSignInScene();
    const homes = [scene.home, await anotherBoard(scene)];
    const other = await createSignInScene();
    const email = newEmail();
    const asked: number[] = [];
    for (let index = 0; index < LIMITS.mailbox + 2; index += 1) {
      const visitor = new PageVisitor(homes[index % 2] ?? "", scene.isolate, sender(index));
      asked.push((await visitor.ask(email)).status);
    }
    expect(asked).toEqual([...times(LIMITS.mailbox, () => 303), 200, 200]);
    expect((await other.visitor(sender(1)).ask(email)).status).toBe(303);
  });

  it("of a board ends, and goes on after an hour", async () => {
    const { visitor: newVisitor, rows, bank } = await createSignInScene();
    await newVisitor().ask(newEmail());
    await rows(
      `INSERT INTO sign_in_codes SELECT '1f' || substr('000000000' || value, -10), account_id, idea_bank_id, 'b' || value, NULL, 'm' || value, 's' || value, NULL, created_at, expires_at, 0
       FROM sign_in_codes JOIN (WITH RECURSIVE n (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ?1) SELECT value FROM n)`,
      LIMITS.board - 1,
    );
    expect(bank.id).toHaveLength(12);
    expect((await newVisitor(sender(1)).ask(newEmail())).status).toBe(200);
    later(60 * MINUTE);
    expect((await newVisitor(sender(1)).ask(newEmail())).status).toBe(303);
  });
});

describe("who has signed in here", () => {
  it("is told to nobody who comes after: not while signed in, and not signed out", { tags: "slow" }, async () => {
    const { signIn, mails, home } = await createSignInScene();
    const email = newEmail();
    const { visitor } = await signIn(email, "Ana");
    const used = codeIn(mails[0]);
    const shown = async () => {
      const opened = await visitor.open("/sign-in/code");
      expect([opened.status, opened.headers.get("Location")?.split("?")[0]]).toEqual([303, `${home}/sign-in`]);
      for (const code of [wrong(used), "x"]) {
        await visitor.post("/sign-in/code", { code });
        expect(visitor.page).toContain("already been used");
        expect(visitor.page).not.toMatch(new RegExp(`${email}|Ana`));
      }
    };
    await shown();
    await visitor.post("/sign-out", {});
    await shown();
    // Nor does the code sign in again, as a button that was pressed twice does.
    expect((await visitor.post("/sign-in/code", { code: used })).status).toBe(200);
    later(MINUTE);
    await shown();
  });

  it("is told to nobody by a code that has expired, or that was not entered before signing out", {
    tags: "slow",
  }, async () => {
    const { signIn, visitor: newVisitor, mails, bank } = await createSignInScene();
    const email = newEmail();
    const { visitor } = await signIn(email);
    const cookie = () => visitor.cookies[`__Host-code-${bank.id}`] ?? "";
    const [handle, proof] = cookie().split(".");
    later(MINUTE);
    await visitor.ask(email, { name: "Ana" });
    expect(visitor.page).toContain(email);
    await visitor.post("/sign-out", {});
    await visitor.post("/sign-in/code", { code: codeIn(mails[1]) });
    expect(visitor.page).toContain("This code has expired");
    expect(visitor.page).not.toMatch(new RegExp(`${email}|Ana`));
    // The browser is known as before, and the name is gone.
    expect(cookie()).toBe(`${handle}.${proof}.`);

    const another = newVisitor(sender(1));
    await another.ask(email);
    later(10 * MINUTE);
    expect((await another.open("/sign-in/code")).status).toBe(303);
    await another.post("/sign-in/code", { code: codeIn(mails[2]) });
    expect(another.page).not.toContain(email);
  });

  it.each(["over the sender’s limit", "while D1 does not answer"])(
    "is told to nobody after a sign-out %s",
    async (why) => {
      const { signIn, bank } = await createSignInScene();
      const { visitor } = await signIn(newEmail());
      const bindings = why.startsWith("over")
        ? { ...withMail, PANELIST_READS: { limit: async () => ({ success: false }) } }
        : interceptDatabases(withMail, () => () => Promise.reject(new Error("D1_ERROR: injected fault")));
      const answer = await visitor.post("/sign-out", {}, bindings);
      expect([answer.status, visitor.personCookie]).toEqual([303, undefined]);
      expect(visitor.cookies[`__Host-code-${bank.id}`]).toBeUndefined();
    },
  );

  it("is told to nobody: a known, an unknown and a blocked address get the same bytes, by the same work", {
    tags: "slow",
  }, async () => {
    const { signIn, visitor: newVisitor, tenant, rows } = await createSignInScene();
    const [known, blocked, unknown] = ["a", "b", "c"].map((each) => newEmail().replace("visitor", `visitor${each}`));
    await signIn(known ?? "");
    await signIn(blocked ?? "", "", newVisitor(sender(1)));
    const [person] = await rows("SELECT id FROM panelists WHERE email = ?1", blocked);
    await tenant.send("PATCH", `/tenant/panelists/${person?.id}`, { active: false });
    const seen = new Set<string>();
    for (const [index, email = ""] of [known, blocked, unknown].entries()) {
      const visitor = newVisitor(sender(index + 2));
      const { env: counted, counts } = countStores(withMail);
      const now = Date.now();
      const answer = await visitor.ask(email, {}, counted);
      const headers = [...answer.headers].filter(([name]) => name !== "x-request-id" && name !== "set-cookie");
      seen.add(JSON.stringify([answer.status, headers, visitor.page.replaceAll(email, "the address"), counts]));
      vi.setSystemTime(now);
    }
    expect([...seen]).toHaveLength(1);
  });

  it("is told to nobody by a limit either", { tags: "slow" }, async () => {
    const { signIn, visitor: newVisitor } = await createSignInScene();
    const [known, unknown] = [newEmail(), newEmail()];
    await signIn(known);
    const seen = new Set<string>();
    for (const [index, email] of [known, unknown].entries()) {
      const visitor = newVisitor(sender(index));
      for (let time = 0; time < 4; time += 1) {
        await visitor.ask(email);
        visitor.cookies = {};
      }
      const answer = await visitor.ask(email);
      const page = visitor.page.replaceAll(email, "the address").replace(/ibw_\w+/, "opened");
      seen.add(JSON.stringify([answer.status, page]));
    }
    expect([...seen]).toHaveLength(1);
    expect([...seen][0]).toContain("Too many codes");
  });
});

describe("a form", () => {
  it.each([
    ["of a program, sent in an instant", (fields: Record<string, string>) => fields, 0],
    [
      "with the field that no person sees",
      (fields: Record<string, string>) => ({ ...fields, homepage_2: "https://spam.example" }),
      2_000,
    ],
    ["without that field", ({ homepage_2: _, ...fields }: Record<string, string>) => fields, 2_000],
    ["with a forged time", (fields: Record<string, string>) => ({ ...fields, opened: "ibw_000000000000000" }), 2_000],
    ["without a time", (fields: Record<string, string>) => ({ ...fields, opened: "" }), 2_000],
    ["of yesterday", (fields: Record<string, string>) => fields, 86_401_000],
  ])("%s sends nothing, and comes back to be sent again", async (_, change, waited) => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.open("/sign-in");
    const fields = change(visitor.hidden("/sign-in"));
    later(waited);
    expect((await visitor.post("/sign-in", { ...fields, email, name: "Ana" })).status).toBe(200);
    expect(mails).toEqual([]);
    for (const value of [email, "Ana"]) expect(visitor.page).toContain(`value="${value}"`);
    const again = visitor.hidden("/sign-in");
    later(2_000);
    expect((await visitor.post("/sign-in", { ...again, email })).status).toBe(303);
  });

  it("of another board is no form of this one", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const other = await createSignInScene();
    const theirs = other.visitor();
    await theirs.open("/sign-in");
    const fields = theirs.hidden("/sign-in");
    later(2_000);
    expect((await newVisitor().post("/sign-in", { ...fields, email: newEmail() })).status).toBe(200);
    expect(mails).toEqual([]);
  });

  it.each([
    { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
    { Origin: "null", "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "same-site" },
    {},
  ])("of another site does nothing: %j", async (headers: Record<string, string>) => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const [form, code] = [visitor.hidden("/sign-in"), visitor.hidden("/sign-in/code")];
    later(10_000);
    for (const [path, fields] of [
      ["/sign-in", form],
      ["/sign-in/code", { ...code, code: codeIn(mails[0]) }],
    ] as const) {
      const answer = await visitor.send(path, { method: "POST", headers, body: new URLSearchParams(fields) });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect([mails.length, visitor.personCookie]).toEqual([1, undefined]);
    expect(await rows("SELECT tries FROM sign_in_codes")).toEqual([{ tries: 0 }]);
  });
});

describe("a code", () => {
  it("of another browser works nowhere else, and a new one replaces nobody else’s", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const email = newEmail();
    const [owner, mallory] = [newVisitor(sender(1)), newVisitor(sender(2))];
    await owner.ask(email);
    await mallory.ask(email);
    const [theirs = "", other = ""] = mails.map(codeIn);
    expect((await mallory.enter(theirs)).status).toBe(theirs === other ? 303 : 200);
    expect((await owner.enter(theirs)).status).toBe(303);
  });

  it("of one board works on no other, with the cookie of either", async () => {
    const one = await createSignInScene();
    const two = await createSignInScene();
    const visitor = one.visitor();
    await visitor.ask(newEmail());
    const code = codeIn(two.mails.at(-1) ?? one.mails.at(-1));
    const there = two.visitor();
    there.cookies = {
      ...visitor.cookies,
      [`__Host-code-${two.bank.id}`]: visitor.cookies[`__Host-code-${one.bank.id}`] ?? "",
    };
    expect((await there.post("/sign-in/code", { code })).status).toBe(200);
    expect(there.personCookie).toBeUndefined();
  });

  it("is not sent, taken or asked for where sign-in by e-mail is off", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails, manage, isolate } = await createSignInScene();
    const before = newVisitor();
    await before.ask(newEmail());
    const [form, code] = [before.hidden("/sign-in"), { ...before.hidden("/sign-in/code"), code: codeIn(mails[0]) }];
    later(10_000);
    const { NOTICES: _, ...withoutMail } = withMail;
    const offs: [string, () => Promise<unknown>, Env][] = [
      ["the deployment sends no e-mail", async () => {}, withoutMail],
      ["nobody is its sender", async () => {}, { ...withMail, NOTICES_FROM: "" }],
      ["the board has it off", () => manage("PATCH", "", { emailSignIn: false }), withMail],
      ["the board has no page", () => manage("PATCH", "", { emailSignIn: true, publicPage: false }), withMail],
      ["the board is closed", () => manage("PATCH", "", { publicPage: true, status: "CLOSED" }), withMail],
    ];
    for (const [why, switchOff, bindings] of offs) {
      await switchOff();
      const visitor = new PageVisitor(before.home, createIsolate(bindings));
      visitor.cookies = { ...before.cookies };
      const answers = [
        await visitor.open("/sign-in", bindings),
        await visitor.open("/sign-in/code", bindings),
        await visitor.post("/sign-in", form, bindings),
        await visitor.post("/sign-in/code", code, bindings),
      ];
      expect([why, ...answers.map(({ status }) => status)]).toEqual([why, 404, 404, 404, 404]);
      expect([why, visitor.personCookie]).toEqual([why, undefined]);
    }
    expect(mails).toHaveLength(1);
    expect(isolate).toBeDefined();
  });
});

describe("a way back", () => {
  const HOSTILE = [
    ...["https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"],
    ...["data:text/html,x", "https://api.example@evil.example/b/", "/account/api-keys", "/b/1otherbank00/x", "/b/", ""],
  ];
  const below = (home: string) => [
    ...[
      `${home}.evil.example/`,
      `${home}@evil.example`,
      `${home}/../../account`,
      `${home}/%2e%2e/%2e%2e/account/members`,
    ],
    ...[
      `${home}/\r\nLocation: https://evil.example`,
      `${home}/%0d%0aSet-Cookie:x=1`,
      `${home}/\\..\\evil`,
      `${home}/%5c%5cevil`,
    ],
    ...[`https://other.example${home}/x`, `https://api.example.evil.example${home}/x`, `http://api.example${home}/x`],
    ...[
      `https://api.example@evil.example${home}/x`,
      `https://api.example//evil.example${home}`,
      ` ${home}/x`,
      `${home}x/y`,
      `${home}/%zz`,
      `${home}/${"x".repeat(2_000)}`,
    ],
    ...[`${home}/sign-in`, `${home}/token`, `${home}/signed-in#token=x`],
  ];

  it("that leads anywhere but to this board becomes the board’s page", { tags: "slow" }, async () => {
    const { visitor: newVisitor, home, mails } = await createSignInScene();
    const board = `${home}/rider-ideas`;
    const hostile = [...HOSTILE, ...below(home)];
    for (const to of hostile) {
      const visitor = newVisitor(sender(hostile.indexOf(to)));
      await visitor.open(`/sign-in?return=${encodeURIComponent(to)}`);
      expect([to, visitor.hidden("/sign-in").return]).toEqual([to, board]);
    }
    // In the form itself, and at the end.
    const visitor = newVisitor();
    for (const to of hostile.slice(0, 4)) {
      later(61 * MINUTE);
      const asked = await visitor.ask(newEmail(), { return: to });
      expect(new URL(asked.headers.get("Location") ?? "", "https://api.example").searchParams.get("return")).toBe(
        board,
      );
      const answer = await visitor.enter(codeIn(mails.at(-1)), { return: to });
      expect([to, answer.status, answer.headers.get("Location")]).toEqual([to, 303, board]);
    }
  });

  it.each(["", "/", "/rider-ideas", "/x/ideas/1dea1dea1dea?a=b#c", "/%D8%A7%D9%81/roadmap?lang=ar", "?idea=1"])(
    "on the board stays: %j",
    async (path) => {
      const { visitor: newVisitor, home } = await createSignInScene();
      const visitor = newVisitor();
      await visitor.open(`/sign-in?return=${encodeURIComponent(home + path)}`);
      expect(visitor.hidden("/sign-in").return).toBe(home + path);
      // An element sends the whole address of its page.
      await visitor.open(`/sign-in?return=${encodeURIComponent(`https://api.example${home}${path}`)}`);
      expect(visitor.hidden("/sign-in").return).toBe(home + path);
    },
  );
});

describe("signing somebody in as somebody else, by a link", () => {
  const createScene = async () => {
    const scene = await createSignInScene({ signInUrl: "https://customer.example/login" });
    const mallory = await scene.panelist("Mallory");
    const begin = async (visitor: PageVisitor) =>
      new URL((await visitor.open("/sign-in/elsewhere")).headers.get("Location") ?? "").searchParams.get("state") ?? "";
    const come = async (visitor: PageVisitor, arrival: object, headers: Record<string, string> = FROM_HERE) =>
      (
        await visitor.send("/session", {
          ...{ method: "POST", body: JSON.stringify(arrival) },
          headers: { "Content-Type": "application/json", ...headers },
        })
      ).status;
    return { ...scene, mallory, begin, come };
  };

  it("fails with a state of another browser, an invented one, and none", async () => {
    const { visitor: newVisitor, mallory, begin, come } = await createScene();
    const [attacker, victim] = [newVisitor(), newVisitor()];
    const theirs = await begin(attacker);
    const own = await begin(victim);
    const { token } = mallory;
    for (const state of [theirs, "", "x", own.toLowerCase(), `${own}x`, "A".repeat(22), "__proto__"])
      expect([state, await come(victim, { token, state })]).toEqual([state, own === state ? 200 : 403]);
    for (const arrival of [{ token }, { state: own }, { token: [token], state: own }, "x", null])
      expect(await come(victim, arrival as object)).toBe(403);
    expect(victim.personCookie).toBeUndefined();
  });

  it("fails with a state that was used, is older than ten minutes, or of another board", async () => {
    const { visitor: newVisitor, mallory, begin, come } = await createScene();
    const visitor = newVisitor();
    const { token } = mallory;
    const used = await begin(visitor);
    const copy = { ...visitor.cookies };
    expect(await come(visitor, { token, state: used })).toBe(200);
    visitor.cookies = {};
    expect(await come(visitor, { token, state: used })).toBe(403);
    // A copy of the cookie is the browser's own doing; after ten minutes it is worth nothing either.
    visitor.cookies = copy;
    later(10 * MINUTE);
    expect(await come(visitor, { token, state: used })).toBe(403);
    const other = await createScene();
    const there = other.visitor();
    there.cookies = { ...visitor.cookies };
    const state = await begin(visitor);
    there.cookies = { ...visitor.cookies };
    expect(await other.come(there, { token: other.mallory.token, state })).toBe(403);
    expect(there.personCookie).toBeUndefined();
  });

  it("two tabs come back with their own states, in any order", async () => {
    const { visitor: newVisitor, mallory, panelist, begin, come } = await createScene();
    const visitor = newVisitor();
    const [one, two] = [await begin(visitor), await begin(visitor)];
    const robin = await panelist("Robin");
    expect(await come(visitor, { token: robin.token, state: two })).toBe(200);
    expect((await visitor.token()).name).toBe("Robin");
    expect(await come(visitor, { token: mallory.token, state: one })).toBe(200);
    // Two tabs, two people: the browser is who came last, in both tabs.
    expect((await visitor.token()).name).toBe("Mallory");
    expect(Object.keys(visitor.cookies).filter((name) => name.startsWith("__Host-board-"))).toHaveLength(1);
  });

  it("fails with a token that is a visitor’s, of another board, ended, expired, blocked or forged", {
    tags: "slow",
  }, async () => {
    const { visitor: newVisitor, mallory, tenant, begin, come, manage, panelist, bank } = await createScene();
    const other = await createScene();
    const { token: visitors } = await (await manage("POST", "/tokens", { visitor: true })).json<{ token: string }>();
    const { token: brief } = await (
      await manage("POST", "/tokens", { panelistId: mallory.id, lifetimeSeconds: 60 })
    ).json<{ token: string }>();
    const blocked = await panelist("Blocked");
    await tenant.send("PATCH", `/tenant/panelists/${blocked.id}`, { active: false });
    const ended = await panelist("Ended");
    await tenant.send("DELETE", `/tenant/panelists/${ended.id}/tokens`);
    const visitor = newVisitor();
    const cases = {
      visitors,
      "of another board": other.mallory.token,
      blocked: blocked.token,
      ended: ended.token,
      forged: mallory.token.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      "of no kind": "token",
      empty: "",
      "a key": tenant.text,
    };
    for (const [name, token] of Object.entries(cases))
      expect([name, await come(visitor, { token, state: await begin(visitor) })]).toEqual([name, 403]);
    later(61_000);
    expect(await come(visitor, { token: brief, state: await begin(visitor) })).toBe(403);
    expect([visitor.personCookie, bank.id.length]).toEqual([undefined, 12]);
  });

  it("fails from another site’s page, and from a form", async () => {
    const { visitor: newVisitor, mallory, begin, come } = await createScene();
    const visitor = newVisitor();
    const state = await begin(visitor);
    const { token } = mallory;
    for (const headers of [
      { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" },
      { Origin: "null", "Sec-Fetch-Site": "cross-site" },
      { Origin: "https://api.example", "Sec-Fetch-Site": "same-site" },
    ])
      expect(await come(visitor, { token, state }, headers)).toBe(403);
    const form = await visitor.send("/session", {
      ...{ method: "POST", headers: FROM_HERE, body: new URLSearchParams({ token, state }) },
    });
    expect([form.status, visitor.personCookie]).toEqual([415, undefined]);
    expect(await come(visitor, { token, state })).toBe(200);
  });
});

describe("a cookie", () => {
  it("of another board’s person is nobody here", { tags: "slow" }, async () => {
    const one = await createSignInScene();
    const { visitor } = await one.signIn(newEmail(), "Ana", one.visitor(sender(1)));
    expect(visitor.personCookie).toBeDefined();
    const two = await createSignInScene();
    const there = two.visitor();
    there.cookies = { [`__Host-board-${two.bank.id}`]: visitor.personCookie ?? "" };
    expect(await there.token()).toMatchObject({ name: null, text: expect.stringMatching(/^ibv_/) });
    expect(there.personCookie).toBeUndefined();
  });

  it.each(["", ".", "..", "a.b.c", "x..ibt_", `1..${"x".repeat(3_000)}`, "1.%ff.ibt_x", "🙂"])(
    "with anything in it is a visitor’s: %j",
    async (value) => {
      const { visitor: newVisitor, bank } = await createSignInScene();
      const visitor = newVisitor();
      visitor.cookies = Object.fromEntries(
        ["board", "code", "state"].map((name) => [`__Host-${name}-${bank.id}`, encodeURIComponent(value)]),
      );
      expect((await visitor.token()).text).toMatch(/^ibv_/);
      expect((await visitor.open("/sign-in")).status).toBe(200);
      expect((await visitor.open("/sign-in/code")).status).toBe(303);
    },
  );

  it("with a name of the team’s does not rename: the name is checked again when the code is right", async () => {
    const { visitor: newVisitor, mails, bank, rows } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.ask(email, { name: "Ana" });
    const name = `__Host-code-${bank.id}`;
    const [handle, proof] = (visitor.cookies[name] ?? "").split(".");
    visitor.cookies[name] = [handle, proof, btoa("Rider ideas").replaceAll("=", "")].join(".");
    const code = codeIn(mails[0]);
    for (const fields of [{ code }, { code, name: "Teаm" }, { code, name: "a@b" }]) {
      expect((await visitor.post("/sign-in/code", fields)).status).toBe(200);
      expect(visitor.page).toContain("This name isn’t available. Choose another.");
    }
    expect(await rows("SELECT display_name FROM panelists WHERE email = ?1", email)).toEqual([]);
    expect((await visitor.post("/sign-in/code", { code, name: "Ana" })).status).toBe(303);
    expect(await rows("SELECT display_name FROM panelists WHERE email = ?1", email)).toEqual([{ display_name: "Ana" }]);
  });
});

it("a sign-out of what is no board is no defect of ours", async () => {
  const { isolate } = await createSignInScene();
  const answer = await isolate.request("/b/a=b/sign-out", { method: "POST", headers: FROM_HERE, redirect: "manual" });
  expect(answer.status).toBe(404);
});
