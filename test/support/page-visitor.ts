/** A board on whose page people sign in, the browsers that do, and the e-mails that are sent meanwhile. */
import { env } from "cloudflare:workers";
import { onTestFinished, vi } from "vitest";
import { freeze } from "./clock.ts";
import { databaseOf } from "./databases.ts";
import { createIsolate, type Isolate } from "./isolate.ts";
import { ORIGIN } from "./owner.ts";
import { createPanel } from "./panel.ts";
import type { IdeaBankOptions } from "./world.ts";

export type Mail = {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

export const withMail: Env & { NOTICES: SendEmail } = { ...env, NOTICES: env.EMAIL, NOTICES_FROM: "ideas@example.com" };

/** Collects what is sent until the end of the test. `answer` decides what becomes of each e-mail. */
export function collectMails(answer: (mail: Mail) => Promise<void> = async () => {}): Mail[] {
  const mails: Mail[] = [];
  const send = vi.spyOn(env.EMAIL, "send").mockImplementation(async (message) => {
    const mail = message as Mail;
    await answer(mail);
    mails.push(mail);
    return { messageId: String(mails.length) };
  });
  onTestFinished(() => send.mockRestore());
  return mails;
}

/** The code in an e-mail, as it stands there. */
export const codeIn = (mail: Mail | undefined): string => /^\d{3}[ \u00A0]\d{3}$/m.exec(mail?.text ?? "")?.[0] ?? "";
/** A code that is not this one. */
export const wrong = (code: string, by = 1): string =>
  String((Number(code.replace(" ", "")) + by) % 1_000_000).padStart(6, "0");

/** What a browser sends with a form, or a request, of our own page. */
export const FROM_HERE = { Origin: ORIGIN, "Sec-Fetch-Site": "same-origin" };

export class PageVisitor {
  cookies: Record<string, string> = {};
  readonly home: string;
  readonly isolate: Isolate;
  readonly address: string;
  #page = "";

  constructor(home: string, isolate: Isolate = createIsolate(withMail), address = "203.0.113.7") {
    this.home = home;
    this.isolate = isolate;
    this.address = address;
  }

  /** The last page that was shown. */
  get page(): string {
    return this.#page;
  }

  /** `path` is below the board, or begins with `/b/`. */
  async send(
    path: string,
    { headers, ...init }: RequestInit & { headers?: Record<string, string> } = {},
    bindings?: Env,
  ) {
    const cookie = Object.entries(this.cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join("; ");
    const response = await this.isolate.request(
      path.startsWith("/b/") ? path : this.home + path,
      {
        ...init,
        redirect: "manual",
        headers: {
          "Accept-Language": "en",
          "CF-Connecting-IP": this.address,
          ...(cookie && { Cookie: cookie }),
          ...headers,
        },
      },
      bindings,
    );
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/.test(line)) delete this.cookies[name];
      else this.cookies[name] = value;
    }
    if (response.headers.get("Content-Type")?.startsWith("text/html")) this.#page = await response.clone().text();
    return response;
  }

  open = (path: string, bindings?: Env) => this.send(path, {}, bindings);

  /** Sends a form of ours. A refusal is the page that says why, behind its redirect; `page` has that of a code, too. */
  async post(path: string, fields: Record<string, string>, bindings?: Env) {
    const answer = await this.send(
      path,
      { method: "POST", headers: FROM_HERE, body: new URLSearchParams(fields) },
      bindings,
    );
    const next = answer.headers.get("Location");
    if (answer.status !== 303 || !next?.startsWith(`${this.home}/sign-in`)) return answer;
    const shown = await this.send(next, {}, bindings);
    return next.includes("fault=") ? shown : answer;
  }

  /** The hidden fields of the form on the last page that goes to this path. */
  hidden(path: string): Record<string, string> {
    const [form = ""] = [...this.#page.matchAll(/<form.*?<\/form>/gs)]
      .map(([text]) => text)
      .filter((text) => text.includes(`action="${this.home}${path}"`));
    return Object.fromEntries(
      [...form.matchAll(/<input[^>]*>/g)].map(([input]) => [
        / name="([^"]*)"/.exec(input)?.[1] ?? "",
        (/ value="([^"]*)"/.exec(input)?.[1] ?? "").replaceAll("&amp;", "&"),
      ]),
    );
  }

  /** Sends a form that was opened as long ago as a person needs. D1's clock goes on, so this one must not run ahead of it. */
  async ask(email: string, more: Record<string, string> = {}, bindings?: Env) {
    const now = Date.now();
    vi.setSystemTime(now - 2_000);
    await this.open("/sign-in", bindings);
    vi.setSystemTime(now);
    const fields = this.hidden("/sign-in");
    return this.post("/sign-in", { ...fields, email, ...more }, bindings);
  }

  enter = (code: string, more: Record<string, string> = {}, bindings?: Env) =>
    this.post("/sign-in/code", { ...this.hidden("/sign-in/code"), code, ...more }, bindings);

  /** What the page's elements get: the token, and whose it is; null for a visitor's. */
  async token(bindings?: Env) {
    const answer = await this.send("/token", { headers: { "Sec-Fetch-Site": "same-origin" } }, bindings);
    const name = answer.headers.get("Signed-In-As");
    return { status: answer.status, text: await answer.text(), name: name === null ? null : decodeURIComponent(name) };
  }

  get personCookie(): string | undefined {
    return Object.entries(this.cookies).find(([name]) => name.startsWith("__Host-board-"))?.[1];
  }
}

/** Time stands still, from the present on, but for what a test moves. */
export async function createSignInScene(fields: object = {}, options: IdeaBankOptions = {}) {
  freeze(Date.now());
  onTestFinished(() => void vi.useRealTimers());
  const isolate = createIsolate(withMail);
  const panel = await createPanel({ changelogEnabled: true, ...options }, isolate);
  const settings = { name: "Rider ideas", publicPage: true, approvalRequired: false, emailSignIn: true, ...fields };
  const changed = await panel.manage("PATCH", "", settings);
  if (changed.status !== 200) throw new Error(await changed.text());
  const home = `/b/${panel.bank.id}`;
  const database = databaseOf(panel.bank.id);
  const mails = collectMails();
  return {
    ...panel,
    isolate,
    home,
    mails,
    /** Another browser: another network address, unless it is given. */
    visitor: (address?: string, at: Isolate = isolate) => new PageVisitor(home, at, address),
    rows: async <Row = Record<string, unknown>>(sql: string, ...values: unknown[]) =>
      (
        await database
          .prepare(sql)
          .bind(...values)
          .all<Row>()
      ).results,
    /** Signs somebody in, with a code from an e-mail. */
    signIn: async (email: string, name = "", visitor = new PageVisitor(home, isolate)) => {
      await visitor.ask(email, { name });
      const answer = await visitor.enter(codeIn(mails.at(-1)));
      return { visitor, answer };
    },
  };
}

/** Nobody else's address in any test. */
export const newEmail = (): string => `visitor-${crypto.randomUUID().slice(0, 13)}@example.com`;
