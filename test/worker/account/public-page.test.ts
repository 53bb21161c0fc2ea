/** A board's Public page at the desk: each button saves its own box, and what strangers will and won't be able to do is said. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import type { IdeaBank } from "../../../src/worker/model/idea-bank.ts";
import { createDesk } from "../../support/desk.ts";
import { createOwner } from "../../support/owner.ts";

type Sent = { readonly to: string; readonly from: string; readonly subject: string; readonly text: string };

/** Miniflare's stand-in for sending, whose e-mails are looked at on their way. */
function withEmail(sent: Sent[] = [], fault?: Error) {
  const NOTICES = {
    send: async (email: Sent) => {
      sent.push(email);
      if (fault !== undefined) throw fault;
      return env.EMAIL.send(email);
    },
  };
  return { ...env, NOTICES, NOTICES_FROM: "codes@example.com" } as Env;
}

async function createScene(bindings: Env = env, fields: Partial<IdeaBank> = {}) {
  const desk = await createDesk({ bindings });
  await desk.panel.manage("PATCH", "", { name: "Rider ideas", ...fields });
  const path = `${desk.bank}/public-page`;
  const { id } = desk.panel.bank;
  return {
    ...desk,
    ...{ path, id, link: `https://api.example/b/${id}/rider-ideas` },
    /** Presses the button in its form as it was opened, with these fields changed; `null` unticks a box. */
    press: async (button: string, changed: Record<string, string | null> = {}) => {
      const form = { ...(await desk.opened(path, button)), ...changed };
      const kept = Object.entries(form).filter((field): field is [string, string] => field[1] !== null);
      return desk.owner.submit(path, Object.fromEntries(kept));
    },
    stored: async () => (await desk.panel.manage("GET", "")).json<IdeaBank>(),
  };
}

const ON = { publicPage: true, approvalRequired: false };
const TURN_ON = { publicPage: "on" };

describe("switching the page on", () => {
  it("switches approval on, as its box says, and the activity tells both", { tags: "slow" }, async () => {
    const { press, page, path, link, stored, activity } = await createScene();
    expect(await page(path)).not.toContain(link);
    const answer = await press("Turn on public page", TURN_ON);
    expect(answer.headers.get("Location")).toBe(`/account${path}?done=on`);
    expect(await stored()).toMatchObject({ publicPage: true, approvalRequired: true });
    expect((await activity())[0]).toMatchObject({
      event: "ideabank-changed",
      changes: {
        before: { publicPage: false, approvalRequired: false },
        after: { publicPage: true, approvalRequired: true },
      },
    });
    expect(await page("/activity")).toContain("Approval: no → yes. Public page: no → yes.");
    const html = await page(`${path}?done=on`);
    for (const said of [
      "Public page is on. Anyone with the link can read it.",
      link,
      "Copy link",
      "<svg",
      "Turn it off",
    ])
      expect(html).toContain(said);
  });

  it("leaves approval off where its box is unticked", { tags: "slow" }, async () => {
    const { press, stored } = await createScene();
    await press("Turn on public page", { ...TURN_ON, approvalRequired: null });
    expect(await stored()).toMatchObject(ON);
  });

  it("leaves approval alone where somebody else has switched the page on and decided meanwhile", async () => {
    const { opened, owner, path, panel, stored } = await createScene();
    const form = await opened(path, "Turn on public page");
    await panel.manage("PATCH", "", ON);
    await owner.submit(path, { ...form, ...TURN_ON });
    expect(await stored()).toMatchObject(ON);
  });

  it("says that nobody sees a board that isn’t open, with the button that opens it", { tags: "slow" }, async () => {
    const { page, path, owner, opened, stored } = await createScene(env, { ...ON, status: "DRAFT" });
    expect(await page(path)).toContain("This board isn’t open yet, so visitors see nothing.");
    const form = await opened(path, "Open board");
    const answer = await owner.submit(path.replace("public-page", "settings"), form);
    expect([answer.headers.get("Location"), (await stored()).status]).toEqual([`/account${path}`, "OPEN"]);
  });

  it("is taken back by one button, which keeps everything else", async () => {
    const { press, stored, page, path } = await createScene(env, { ...ON, description: "About rides" });
    const answer = await press("Turn off public page");
    expect(answer.headers.get("Location")).toBe(`/account${path}?done=off`);
    expect(await stored()).toMatchObject({ publicPage: false, approvalRequired: false, description: "About rides" });
    expect(await page(`${path}?done=off`)).toContain("Public page is off.");
    // Anybody can write such a link.
    expect(await page(`${path}?done=on`)).not.toContain("Public page is on.");
  });
});

describe("its boxes", () => {
  it("save what stands in them, and nothing of the others", { tags: "slow" }, async () => {
    const { press, opened, owner, path, stored, panel } = await createScene(env, ON);
    await press("Save", { description: " Better rides ", hiddenFromSearch: "on" });
    expect(await stored()).toMatchObject({ ...ON, description: "Better rides", hiddenFromSearch: true });
    const { hiddenFromSearch: _, ...unticked } = await opened(path, "Save");
    await panel.manage("PATCH", "", { description: "Changed meanwhile", approvalRequired: true });
    await owner.submit(path, unticked);
    expect(await stored()).toMatchObject({
      ...{ description: "Changed meanwhile", approvalRequired: true },
      hiddenFromSearch: false,
    });
  });

  it("keep what was typed when it is refused", async () => {
    const { owner, path, stored } = await createScene(env, ON);
    const long = "x".repeat(301);
    const answers = await Promise.all([
      owner.submit(path, { do: "about", description: long }),
      owner.submit(path, { do: "sign-in", signInUrl: "http://insecure.example" }),
    ]);
    const [about = "", signIn = ""] = await Promise.all(answers.map((answer) => answer.text()));
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
    expect([about.includes("Description must have at most 300 characters"), about.includes(long)]).toEqual([
      true,
      true,
    ]);
    expect(signIn).toContain("Your sign-in page must be an https address");
    expect(signIn).toContain('value="http://insecure.example"');
    expect(await stored()).toMatchObject({ description: "", signInUrl: null });
  });

  it("say that hidden from search isn’t private", async () => {
    const { page, path } = await createScene(env, ON);
    expect(await page(path)).toContain("Hidden isn’t private: anyone with the link can still read the page.");
  });
});

describe("who signs in", () => {
  const NOBODY = "No one can sign in yet";

  it("is nobody at first, and the page says so until there is a way", { tags: "slow" }, async () => {
    const { press, page, path, owner } = await createScene(withEmail(), ON);
    expect(await page(path)).toContain(NOBODY);
    await owner.submit(path, { do: "sign-in", was: "", emailSignIn: "on" });
    expect(await page(path)).not.toContain(NOBODY);
    await owner.submit(path, { do: "sign-in", was: "emailSignIn=on", signInUrl: "https://shop.example/login" });
    expect(await page(path)).not.toContain(NOBODY);
    await press("Turn off public page");
    expect(await page(path)).not.toContain(NOBODY);
  });

  it("says what is missing where the deployment sends no e-mail, also when the box was ticked before", async () => {
    const { page, path, panel } = await createScene(env, ON);
    const before = await page(path);
    for (const said of ["this deployment can’t send email yet", "NOTICES_FROM", "/docs/operations.md", NOBODY])
      expect(before).toContain(said);
    expect([before.includes('name="emailSignIn"'), before.includes("Send me a code")]).toEqual([false, false]);
    await panel.manage("PATCH", "", { emailSignIn: true });
    const after = await page(path);
    for (const said of ["No codes are sent: this deployment can’t send email.", 'name="emailSignIn"', NOBODY])
      expect(after).toContain(said);
  });

  it("“Send me a code” sends one to the owner’s own address, each with a subject of its own", async () => {
    const sent: Sent[] = [];
    const { owner, path } = await createScene(withEmail(sent), ON);
    const texts = [];
    for (let count = 0; count < 2; count++) texts.push(await (await owner.submit(path, { do: "code" })).text());
    expect(texts[0]).toContain(`Sent to ${owner.email}. Nothing there?`);
    expect(sent.map(({ to, from }) => [to, from])).toEqual(Array(2).fill([owner.email, "codes@example.com"]));
    const [first, second] = sent.map(({ subject }) => subject);
    expect(first).toMatch(/^\d{3} \d{3} is a test code for Rider ideas$/);
    expect(first).not.toBe(second);
    expect(sent[0]?.text).toContain("This is a test: the code doesn’t sign anyone in.");
  });

  it("“Send me a code” shows what the binding says where it refuses", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    const { owner, path } = await createScene(withEmail([], new Error("domain <not> verified")), ON);
    const html = await (await owner.submit(path, { do: "code" })).text();
    expect(html).toContain(`The email to ${owner.email} wasn’t sent.`);
    expect(html).toContain("domain &lt;not&gt; verified");
    expect(html).not.toContain("Sent to");
  });

  it("joins people by address only where the account has said so", async () => {
    const { owner, page, path } = await createScene(withEmail(), ON);
    const settings = async () => (await owner.json("GET", "/settings")).json();
    expect(await page(path)).toContain("Leave this off unless you verify every address.");
    await owner.submit(path, { do: "account", was: "", externalIdsAreEmails: "on" });
    expect(await settings()).toMatchObject({ leakedKeys: "end", externalIdsAreEmails: true });
    await owner.submit(path, { do: "account", was: "externalIdsAreEmails=on" });
    expect(await settings()).toMatchObject({ leakedKeys: "end", externalIdsAreEmails: false });
  });
});

describe("where the page leads", () => {
  it("is the host of PAGES_HOST", async () => {
    const { page, path, id } = await createScene({ ...env, PAGES_HOST: "ideas.example" }, ON);
    expect(await page(path)).toContain(`https://ideas.example/b/${id}/rider-ideas`);
  });

  it("an idea’s “Copy link” is its public page where there is one, else the page that carries the board", {
    tags: "slow",
  }, async () => {
    const { page, bank, panel, id } = await createScene(env, { url: "https://riverline.example/ideas" });
    const idea = await panel.propose();
    const onBoard = async () => /id="on-board" href="([^"]+)"/.exec(await page(`${bank}/ideas/${idea}`))?.[1];
    expect(await onBoard()).toBe(`https://riverline.example/ideas?idea=${idea}`);
    await panel.manage("PATCH", "", ON);
    expect(await onBoard()).toBe(`https://api.example/b/${id}/rider-ideas/ideas/${idea}`);
    // Its page does not show ideas.
    await panel.manage("PATCH", "", { internal: true });
    expect(await onBoard()).toBe(`https://riverline.example/ideas?idea=${idea}`);
    await panel.manage("PATCH", "", { internal: false, url: null });
    expect(await onBoard()).toBe(`https://api.example/b/${id}/rider-ideas/ideas/${idea}`);
    await panel.manage("PATCH", `/proposals/${idea}`, { visibility: "hidden" });
    expect(await onBoard()).toBeUndefined();
  });

  it("is a new board’s next page, which leads to the other way; and that leads back", async () => {
    const owner = createOwner();
    const { headers } = await owner.submit("/idea-banks", { name: "Ideas" });
    const next = headers.get("Location")?.replace("/account", "") ?? "";
    const embed = next.replace("/public-page", "/embed");
    const html = async (path: string) => (await owner.page(path)).text();
    expect(await html(next)).toContain(`href="/account${embed}">Put the board on it instead</a>`);
    expect(await html(embed)).toContain(`href="/account${next}">Use a public page</a>`);
  });

  it("Home ticks the page, and asks for either way before", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { headers } = await owner.submit("/idea-banks", { name: "Ideas" });
    const path = headers.get("Location")?.replace("/account", "") ?? "";
    const home = async () => (await owner.page("")).text();
    const [asks, done] = ["Get the code", "Share its page, or put it on your site</a>"];
    expect([(await home()).includes(asks), (await home()).includes(done)]).toEqual([true, false]);
    await owner.submit(path, { do: "switch", ...TURN_ON });
    expect([(await home()).includes(asks), (await home()).includes(done)]).toEqual([false, true]);
  });
});
