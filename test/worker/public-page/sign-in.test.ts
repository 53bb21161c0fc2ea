/** Signing in on a board's page by e-mail: the way of a person, and what each page says. */
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { LANGUAGES } from "../../../src/worker/model/language.ts";
import { interceptDatabases } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import {
  codeIn,
  collectMails,
  createSignInScene,
  FROM_HERE,
  newEmail,
  withMail,
  wrong,
} from "../../support/page-visitor.ts";

const MINUTE = 60_000;
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("a person", () => {
  it("asks for a code, enters it, and is signed in on this board", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails, rows, bank, home } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    const asked = await visitor.ask(email.toUpperCase(), { name: " Ana " });
    expect([asked.status, asked.headers.get("Location")]).toEqual([
      303,
      `${home}/sign-in/code?return=${encodeURIComponent(`${home}/rider-ideas`)}`,
    ]);
    expect(mails).toHaveLength(1);
    expect(visitor.page).toContain(`We sent a code to ${email}.`);
    expect(visitor.page).toMatch(/The newest code was sent at \d\d:\d\d:\d\d [AP]M UTC\./);
    const entered = await visitor.enter(codeIn(mails[0]));
    expect([entered.status, entered.headers.get("Location")]).toEqual([303, `${home}/rider-ideas`]);
    const { text, name } = await visitor.token();
    expect([text.slice(0, 16), name]).toEqual([`ibt_${bank.id}`, "Ana"]);
    expect(
      await rows(
        "SELECT external_id, display_name, email, email_verified, mailbox FROM panelists WHERE email = ?1",
        email,
      ),
    ).toEqual([{ external_id: null, display_name: "Ana", email, email_verified: 1, mailbox: email }]);
  });

  it("who comes back in another browser is the same person, keeps the name, and changes it by typing another", {
    tags: "slow",
  }, async () => {
    const { signIn, visitor, rows } = await createSignInScene();
    const email = newEmail();
    const names = async () =>
      (await rows("SELECT display_name FROM panelists WHERE email = ?1", email)).map(Object.values);
    await signIn(email, "Ana");
    const again = await signIn(email, "", visitor("198.51.100.1"));
    expect((await again.visitor.token()).name).toBe("Ana");
    expect(await names()).toEqual([["Ana"]]);
    const renamed = await signIn(email, "Ana B.", visitor("198.51.100.2"));
    expect((await renamed.visitor.token()).name).toBe("Ana B.");
    expect(await names()).toEqual([["Ana B."]]);
  });

  it("finds no form behind the sign-in: Back, and its address, lead to where it began, until the sign-in ends", {
    tags: "slow",
  }, async () => {
    const { signIn, home, rows } = await createSignInScene();
    const { visitor } = await signIn(newEmail(), "Ana");
    const back = `${home}/rider-ideas/roadmap`;
    const leadsTo = async (path: string) => {
      const answer = await visitor.open(`${path}?return=${encodeURIComponent(back)}`);
      return [answer.status, answer.headers.get("Location")];
    };
    expect(await leadsTo("/sign-in")).toEqual([303, back]);
    expect(await leadsTo("/sign-in/code")).toEqual([303, `${home}/sign-in?return=${encodeURIComponent(back)}`]);
    await rows("UPDATE panelists SET active = 0 WHERE display_name = 'Ana'");
    await rows("DELETE FROM panelists WHERE display_name = 'Ana'");
    visitor.cookies = Object.fromEntries(Object.entries(visitor.cookies).map(([name, value]) => [name, `${value}x`]));
    expect((await leadsTo("/sign-in"))[0]).toBe(200);
  });

  it("without a name is anonymous: nothing of the address becomes a name", async () => {
    const { signIn, rows } = await createSignInScene();
    const email = newEmail();
    const { visitor } = await signIn(email);
    expect((await visitor.token()).name).toBe("");
    expect(await rows("SELECT display_name FROM panelists WHERE email = ?1", email)).toEqual([{ display_name: null }]);
  });

  it("can vote and write with the token of the page", async () => {
    const { signIn, isolate } = await createSignInScene();
    const { visitor } = await signIn(newEmail(), "Ana");
    const answer = await isolate.request("/ideabank/proposals", {
      method: "POST",
      headers: { Authorization: (await visitor.token()).text, "Content-Type": "application/json" },
      body: JSON.stringify({ title: "Bike racks", description: "" }),
    });
    expect(answer.status).toBe(201);
    expect(await answer.json()).toMatchObject({ author: "Ana", mine: true });
  });

  it("comes back to where the sign-in began, also over a new code and a wrong one", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails, home } = await createSignInScene();
    const visitor = newVisitor();
    const page = `${home}/rider-ideas/ideas/1dea1dea1dea?x=1#c2`;
    await visitor.open(`/sign-in?return=${encodeURIComponent(page)}`);
    const fields = visitor.hidden("/sign-in");
    later(2_000);
    await visitor.post("/sign-in", { ...fields, email: newEmail() });
    await visitor.enter(wrong(codeIn(mails[0])));
    later(10_000);
    await visitor.post("/sign-in", visitor.hidden("/sign-in"));
    expect(mails).toHaveLength(2);
    expect((await visitor.enter(codeIn(mails[1]))).headers.get("Location")).toBe(page);
  });

  it("reads the pages in each language, in its direction", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    for (const lang of LANGUAGES) {
      const visitor = newVisitor(`198.51.100.${LANGUAGES.indexOf(lang)}`);
      await visitor.open(`/sign-in?lang=${lang}`);
      const opened = visitor.page;
      expect(opened).toContain(`<html lang="${lang}" dir="${lang === "ar" ? "rtl" : "ltr"}">`);
      // The form keeps the language of the address.
      const fields = Object.fromEntries(
        [...opened.matchAll(/name="(\w+)"[^>]* value="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]),
      );
      later(2_000);
      const email = newEmail();
      await visitor.post(`/sign-in?lang=${lang}`, { ...fields, email, name: "", homepage_2: "" });
      expect([lang, visitor.page.includes(email)]).toEqual([lang, true]);
      expect(visitor.page).toContain(`<html lang="${lang}"`);
      const mail = mails.at(-1);
      expect(mail?.headers?.["Content-Language"]).toBe(lang);
      // From right to left, a space would show the second half of the code first.
      expect([lang, codeIn(mail)[3]]).toEqual([lang, lang === "ar" ? "\u00A0" : " "]);
      expect(mail?.subject).toContain(codeIn(mail));
      expect(visitor.page + opened).not.toMatch(/\{\w+\}|undefined/);
    }
    expect(new Set(mails.map(({ text }) => text.split("\n")[0])).size).toBe(LANGUAGES.length);
  });
});

describe("the pages", () => {
  it("are kept by nobody, shown in no frame, and run nothing", async () => {
    const { visitor: newVisitor } = await createSignInScene();
    const visitor = newVisitor();
    const opened = await visitor.open("/sign-in");
    await visitor.ask(newEmail());
    for (const answer of [opened, await visitor.open("/sign-in/code")]) {
      expect(answer.headers.get("Cache-Control")).toBe("no-store");
      expect(answer.headers.get("X-Frame-Options")).toBe("DENY");
      const policy = answer.headers.get("Content-Security-Policy") ?? "";
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src|unsafe/);
      expect(await answer.text()).not.toMatch(/<script|ib[tv]_\w{20}/);
    }
  });

  it("have one field for the code, which keyboards and browsers fill in, and which takes a pasted “123 456”", async () => {
    const { visitor: newVisitor } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const [input = "", ...more] =
      visitor.page.match(/<input[^>]*type="text"[^>]*name="code"[^>]*>|<input[^>]*name="code"[^>]*>/g) ?? [];
    expect(more).toEqual([]);
    for (const attribute of ['autocomplete="one-time-code"', 'inputmode="numeric"']) expect(input).toContain(attribute);
    expect(input).not.toContain("maxlength");
  });

  it("of the code lead to the form where nobody has asked for one", async () => {
    const { visitor: newVisitor, home } = await createSignInScene();
    const answer = await newVisitor().open("/sign-in/code");
    expect([answer.status, answer.headers.get("Location")?.split("?")[0]]).toEqual([303, `${home}/sign-in`]);
  });

  it("keep what was typed when it was refused, and say which field it is", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const visitor = newVisitor();
    for (const [email, name, fault] of [
      ["ana@", "Ana", "Enter an email address"],
      ["ana@example.com", "x".repeat(101), "at most 100 characters"],
      ["ana@example.com", "Rider Ideas", "isn’t available"],
      ["ana@example.com", "eve@example.com", "isn’t available"],
    ]) {
      const answer = await visitor.ask(email ?? "", { name: name ?? "" });
      expect([fault, answer.status]).toEqual([fault, 200]);
      expect(visitor.page).toContain(fault);
      expect(visitor.page).toMatch(new RegExp(`value="${email}"`));
      expect(visitor.page).toContain(`value="${name}"`);
      expect(visitor.page).toMatch(/aria-invalid="true" aria-describedby="(email|name)-fault/);
    }
    expect(mails).toEqual([]);
  });

  it("are led to when a form is refused, so that Back ends at no error of the browser’s; nothing typed is in the address", async () => {
    const { visitor: newVisitor, mails, home, bank } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    const back = `return=${encodeURIComponent(`${home}/rider-ideas`)}`;
    const send = (path: string, fields: Record<string, string>) =>
      visitor.send(path, { method: "POST", headers: FROM_HERE, body: new URLSearchParams(fields) });
    await visitor.open("/sign-in");
    const form = await send("/sign-in", { ...visitor.hidden("/sign-in"), email: "ana@", name: "Rider Ideas" });
    expect([form.status, form.headers.get("Location")]).toEqual([
      303,
      `${home}/sign-in?${back}&fault=badEmail.nameTaken`,
    ]);
    await visitor.open(form.headers.get("Location") ?? "");
    for (const shown of ["Enter an email address", "isn’t available", 'value="ana@"', 'value="Rider Ideas"'])
      expect(visitor.page).toContain(shown);
    // It is told once: whoever comes after finds the words alone.
    await visitor.open(form.headers.get("Location") ?? "");
    expect(visitor.page).toContain("Enter an email address");
    expect(visitor.page).not.toContain("ana@");
    await visitor.ask(email);
    const typed = wrong(codeIn(mails[0]));
    const code = await send("/sign-in/code", { ...visitor.hidden("/sign-in/code"), code: typed });
    expect([code.status, code.headers.get("Location")]).toEqual([303, `${home}/sign-in/code?${back}&fault=wrongCode`]);
    await visitor.open(code.headers.get("Location") ?? "");
    expect(visitor.page).toContain("That’s not the code");
    expect(visitor.page).not.toContain(typed);
    expect(visitor.cookies[`__Host-typed-${bank.id}`]).toBeUndefined();
  });

  it("say of a fault in their address what they know, and of another nothing", async () => {
    const { visitor: newVisitor } = await createSignInScene();
    const visitor = newVisitor();
    for (const fault of ["", "x", "wrongCode", "lead", "constructor", "<b>", "x.y"]) {
      await visitor.open(`/sign-in?fault=${encodeURIComponent(fault)}`);
      expect([fault, /role="alert"|class="fault"|<b>/.test(visitor.page)]).toEqual([fault, false]);
    }
    await visitor.open("/sign-in?fault=x.tooMany");
    expect(visitor.page).toMatch(/role="alert">Too many codes/);
    await visitor.ask(newEmail());
    for (const fault of ["badEmail", "used", "lead", "__proto__"]) {
      await visitor.open(`/sign-in/code?fault=${fault}`);
      expect([fault, /role="alert"|class="fault"/.test(visitor.page)]).toEqual([fault, false]);
    }
  });

  it("of the code hold it, and no address but the typed one, when tokens were ended in that very second", {
    tags: "slow",
  }, async () => {
    const { signIn, visitor: newVisitor, mails, rows } = await createSignInScene();
    const email = newEmail();
    await signIn(email, "", newVisitor("198.51.100.1"));
    const [person] = await rows("SELECT id FROM panelists WHERE email = ?1", email);
    const visitor = newVisitor();
    await visitor.ask(email);
    await rows("UPDATE panelists SET tokens_revoked_at = ?2 WHERE id = ?1", person?.id, Date.now() + 5_000);
    const code = codeIn(mails.at(-1));
    const refused = await visitor.enter(code);
    expect([refused.status, visitor.page.includes("Please enter the code once more.")]).toEqual([200, true]);
    expect(visitor.hidden("/sign-in/code")).toMatchObject({ code, email });
    await rows("UPDATE panelists SET tokens_revoked_at = NULL WHERE id = ?1", person?.id);
    expect((await visitor.enter(code)).status).toBe(303);
    expect(visitor.personCookie).toBeDefined();
    const opened = await visitor.open("/sign-in/code?fault=moment");
    expect(opened.status).toBe(303);
  });

  it("refuse the name of the deployment, and of the team in any language", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    for (const name of ["Idea boards", "Equipo", "官方团队", "Теаm"]) {
      const answer = await newVisitor().ask(newEmail(), { name });
      expect([name, answer.status]).toEqual([name, 200]);
    }
    expect(mails).toEqual([]);
  });

  it("of the code ask for another name where a member has it: not before, or strangers would find out who is in the team", {
    tags: "slow",
  }, async () => {
    const { visitor: newVisitor, mails, rows, bank } = await createSignInScene();
    await rows(
      "INSERT INTO members (id, account_id, email, added_by, created_at) VALUES (?1, ?2, 'zora.neale@example.com', 'o', 1)",
      `${bank.id.slice(0, 11)}m`,
      bank.accountId,
    );
    const [visitor, email] = [newVisitor(), newEmail()];
    expect((await visitor.ask(email, { name: "ZORA NEALE" })).status).toBe(303);
    const code = codeIn(mails[0]);
    await visitor.enter(wrong(code));
    expect(visitor.page).not.toContain("isn’t available");
    expect((await visitor.enter(code)).status).toBe(200);
    expect(visitor.page).toContain("This name isn’t available. Choose another.");
    expect(visitor.hidden("/sign-in/code")).toMatchObject({ name: "ZORA NEALE", code });
    // Nobody enters the code again, and without a name one is anonymous.
    expect((await visitor.post("/sign-in/code", { ...visitor.hidden("/sign-in/code"), name: "Zora B." })).status).toBe(
      303,
    );
    expect((await visitor.token()).name).toBe("Zora B.");
  });
});

describe("a code", () => {
  it.each(["１２３", "dashes", "arabic"])("is understood as it is typed: %s", async (way) => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const code = codeIn(mails[0]);
    const typed =
      way === "dashes"
        ? ` ${code.replace(" ", "–")} `
        : code.replace(/\d/g, (digit) => String.fromCodePoint((way === "arabic" ? 0x660 : 0xff10) + Number(digit)));
    expect((await visitor.enter(typed)).status).toBe(303);
  });

  it("that is none is refused without counting as a try", { tags: "slow" }, async () => {
    const { visitor: newVisitor, rows } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    for (const typed of ["", "12345", "abcdef"]) {
      expect((await visitor.enter(typed)).status).toBe(200);
      expect(visitor.page).toContain("Enter the 6 digits");
    }
    expect(await rows("SELECT tries FROM sign_in_codes")).toEqual([{ tries: 0 }]);
  });

  it("lives ten minutes", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.ask(email, { name: "Ana" });
    later(10 * MINUTE - 2_000);
    expect((await visitor.enter(wrong(codeIn(mails[0])))).status).toBe(200);
    expect(visitor.page).toContain("That’s not the code");
    later(2_001);
    expect((await visitor.enter(codeIn(mails[0]))).status).toBe(200);
    expect(visitor.page).toContain("This code has expired");
    // What the page had is typed once, and a new code is one press away.
    expect(visitor.hidden("/sign-in")).toMatchObject({ email, name: "Ana" });
  });

  it("that was wrong five times is over, also with the right one", { tags: "slow" }, async () => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const code = codeIn(mails[0]);
    for (let guess = 1; guess <= 5; guess += 1) {
      expect(visitor.page).not.toContain("Too many tries");
      await visitor.enter(wrong(code, guess));
    }
    expect(visitor.page).toContain("Too many tries. Ask for a new code.");
    expect((await visitor.enter(code)).status).toBe(200);
    expect(await rows("SELECT tries FROM sign_in_codes")).toEqual([{ tries: 5 }]);
  });

  it("is used once; a button that was pressed twice signs in twice, and makes one person", async () => {
    const { visitor: newVisitor, mails, rows } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.ask(email, { name: "Ana" });
    const fields = { ...visitor.hidden("/sign-in/code"), code: codeIn(mails[0]) };
    const both = await Promise.all([visitor.post("/sign-in/code", fields), visitor.post("/sign-in/code", fields)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect(await rows("SELECT id FROM panelists WHERE email = ?1", email)).toHaveLength(1);
    later(10_001);
    const third = await visitor.post("/sign-in/code", fields);
    expect([third.status, visitor.page.includes("already been used")]).toEqual([200, true]);
  });

  it("that an older e-mail has says when the newer one was sent", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.ask(email);
    later(MINUTE);
    await visitor.post("/sign-in", visitor.hidden("/sign-in"));
    expect(mails).toHaveLength(2);
    const [older, newer] = mails.map(codeIn);
    const at = /newest code was sent at ([^<]*)\./.exec(visitor.page)?.[1];
    expect((await visitor.enter(older ?? "")).status).toBe(200);
    expect(visitor.page).toContain(`A newer code was sent at ${at}.`);
    expect((await visitor.enter(newer ?? "")).status).toBe(303);
  });

  it("is sent once for a form that was sent twice", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.open("/sign-in");
    const fields = { ...visitor.hidden("/sign-in"), email: newEmail() };
    later(2_000);
    const both = await Promise.all([visitor.post("/sign-in", fields), visitor.post("/sign-in", fields)]);
    expect(both.map(({ status }) => status)).toEqual([303, 303]);
    expect(mails).toHaveLength(1);
    expect((await visitor.enter(codeIn(mails[0]))).status).toBe(303);
  });
});

describe("the e-mail", () => {
  it("is text alone, with a subject of its own, the deployment’s name, and no link", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    await visitor.ask(email, { name: "Mallory" });
    later(MINUTE);
    await visitor.post("/sign-in", visitor.hidden("/sign-in"));
    for (const mail of mails) {
      expect([mail.from, mail.to, "html" in mail]).toEqual(["ideas@example.com", email, false]);
      expect(mail.subject).toBe(`${codeIn(mail)} is your code for Rider ideas`);
      expect(mail.text).toContain("Idea boards");
      expect(`${mail.subject}${mail.text}`).not.toMatch(/https?:|www\.|Mallory/i);
      expect(mail.headers).toEqual({
        "Content-Language": "en",
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
      });
    }
    expect(new Set(mails.map(({ subject }) => subject)).size).toBe(2);
  });

  it("takes no header from a name or an address", async () => {
    const { visitor: newVisitor, mails, rows, bank } = await createSignInScene();
    await rows("UPDATE idea_banks SET name = ?2 WHERE id = ?1", bank.id, "Ideas\r\nBcc: eve@example.com\u2028X: y");
    const visitor = newVisitor(undefined, createIsolate(withMail));
    for (const email of [
      "ana@example.com\r\nBcc: eve@example.com",
      "ana@example.com%0d%0aBcc:eve@example.com",
      "a@example.com,b@example.com",
    ])
      expect((await visitor.ask(email)).status).toBe(200);
    expect(mails).toEqual([]);
    await visitor.ask(newEmail());
    expect(mails[0]?.subject).not.toMatch(/[\r\n\u2028]/);
    expect(mails[0]?.to).not.toMatch(/[\r\n,]/);
  });

  it("that cannot be sent says so, keeps what was typed, and leaves nothing stored", { tags: "slow" }, async () => {
    const { visitor: newVisitor, rows } = await createSignInScene();
    collectMails(() => Promise.reject(new Error("no such domain")));
    const [visitor, email] = [newVisitor(), newEmail()];
    // More often than any limit: nothing of them counts.
    for (let time = 0; time < 6; time += 1) {
      const answer = await visitor.ask(email, { name: "Ana" });
      expect(answer.status).toBe(200);
      expect(visitor.page).toContain("The email couldn’t be sent.");
      expect(visitor.page).toContain(`value="${email}"`);
      expect(visitor.page).toContain('value="Ana"');
    }
    expect(await rows("SELECT * FROM sign_in_codes")).toEqual([]);
    const mails = collectMails();
    await visitor.ask(email);
    expect((await visitor.enter(codeIn(mails[0]))).status).toBe(303);
  });

  it("that hangs says so; it may have been sent, so it counts, but no address and no code is kept", {
    tags: "slow",
  }, async () => {
    const { visitor: newVisitor, rows } = await createSignInScene();
    collectMails(() => new Promise(() => {}));
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const visitor = newVisitor();
    await visitor.open("/sign-in");
    const fields = { ...visitor.hidden("/sign-in"), email: newEmail() };
    later(2_000);
    const send = vi.spyOn(env.EMAIL, "send");
    const answer = visitor.post("/sign-in", fields);
    await vi.waitFor(() => expect(send).toHaveBeenCalled());
    await vi.advanceTimersByTimeAsync(6_001);
    expect((await answer).status).toBe(200);
    expect(visitor.page).toContain("The email couldn’t be sent.");
    expect(await rows("SELECT email, code FROM sign_in_codes")).toEqual([{ email: null, code: null }]);
  });

  it("to an address that takes none is answered as any other: nobody learns it", async () => {
    const { visitor: newVisitor, home } = await createSignInScene();
    collectMails(() => Promise.reject(Object.assign(new Error("suppressed"), { code: "E_RECIPIENT_SUPPRESSED" })));
    const answer = await newVisitor().ask(newEmail());
    expect([answer.status, answer.headers.get("Location")?.split("?")[0]]).toEqual([303, `${home}/sign-in/code`]);
  });
});

it("what is stored of a code is gone a day later, and not before", { tags: "slow" }, async () => {
  const { visitor: newVisitor, rows } = await createSignInScene();
  await newVisitor().ask(newEmail());
  const left = async () => (await rows("SELECT id FROM sign_in_codes")).length;
  const [{ at = 0 } = {}] = await rows<{ at: number }>("SELECT created_at AS at FROM sign_in_codes");
  await runJob(env, () => at + 86_400_000);
  expect(await left()).toBe(1);
  await runJob(env, () => at + 86_400_001);
  expect(await left()).toBe(0);
});

describe("while the database does not answer", () => {
  const down = interceptDatabases(withMail, () => () => Promise.reject(new Error("D1_ERROR: injected fault")));

  it("the form comes back with what was typed, whether the isolate knows the board or not", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const [visitor, email] = [newVisitor(), newEmail()];
    for (const isolate of [undefined, createIsolate(withMail)]) {
      const now = newVisitor(undefined, isolate ?? visitor.isolate);
      now.cookies = { ...visitor.cookies };
      await visitor.open("/sign-in");
      later(2_000);
      const answer = await now.post("/sign-in", { ...visitor.hidden("/sign-in"), email, name: "Ana" }, down);
      expect(answer.status).toBe(200);
      expect(now.page).toContain("Signing in isn’t possible right now.");
      for (const value of [email, "Ana"]) expect(now.page).toContain(`value="${value}"`);
    }
    expect(mails).toEqual([]);
  });

  it("the code can be entered again afterwards", async () => {
    const { visitor: newVisitor, mails } = await createSignInScene();
    const visitor = newVisitor();
    await visitor.ask(newEmail());
    const code = codeIn(mails[0]);
    expect((await visitor.enter(code, {}, down)).status).toBe(503);
    expect(visitor.page).toContain("Signing in isn’t possible right now.");
    expect((await visitor.enter(code)).status).toBe(303);
  });
});
