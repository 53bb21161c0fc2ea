/** What an e-mail about ideas says, and what nobody can put into it. */
import { expect, it } from "vitest";
import type { ToldIdea } from "../../../src/worker/database/mails/recipients.ts";
import { renderIdeaMail } from "../../../src/worker/mails/idea-mail.ts";
import words from "../../../src/worker/mails/words.json";
import { LANGUAGES } from "../../../src/worker/model/language.ts";
import { PROPOSAL_STATUSES } from "../../../src/worker/model/proposal.ts";

const SENDER = {
  brand: { name: "Riverline", iconUrl: "/assets/icon.svg", color: null },
  origin: "https://ideas.example",
  mailKey: "k".repeat(22),
  hasReplyTo: false,
};

const idea = (more: Partial<ToldIdea> = {}): ToldIdea => ({
  ...{ outboxId: 1, email: "ana@example.com", accountId: "1AccountAcco", mailKey: null, language: "en" },
  ideaBank: { id: "1BankBankBan", name: "Rider ideas", url: null, publicPage: true },
  ...{ panelistId: "1PersonPerso", proposalId: "1IdeaIdeaIde", title: "Night buses", description: "Every half hour." },
  ...{ status: "planned", response: null, tellsStatus: true, tellsResponse: false, comments: null, isSkipped: false },
  ...more,
});

it.each(LANGUAGES)(
  "%s: every status, response and comment is said in one language, subject and both parts",
  async (language) => {
    for (const status of PROPOSAL_STATUSES) {
      const { subject, text, html, headers } = await renderIdeaMail([idea({ language, status })], SENDER);
      expect(subject).toContain("Night buses");
      expect(text).toContain(
        status === "implemented"
          ? words.done[language].replace("{idea}", "Night buses")
          : words[`status_${status}`][language],
      );
      expect(html).toContain(`<html lang="${language}" dir="${language === "ar" ? "rtl" : "ltr"}"`);
      expect(headers?.["Content-Language"]).toBe(language);
      expect([subject, text, html].join()).not.toMatch(/\{\w+\}/);
    }
    for (const label of Object.values(words))
      expect([...label[language].matchAll(/\{\w+\}/g)].map(String).sort()).toEqual(
        [...label.en.matchAll(/\{\w+\}/g)].map(String).sort(),
      );
  },
);

it("a region's language is its language, and one that we do not speak is English", async () => {
  expect((await renderIdeaMail([idea({ language: "it-IT" })], SENDER)).headers?.["Content-Language"]).toBe("it");
  expect((await renderIdeaMail([idea({ language: "fi" })], SENDER)).headers?.["Content-Language"]).toBe("en");
  expect((await renderIdeaMail([idea({ language: null })], SENDER)).headers?.["Content-Language"]).toBe("en");
});

it("others' words are at most 200 characters, on one line, and no link", async () => {
  const attack = `Prize!\r\nBcc: all@example.com\n\nClick https://evil.example/x?y=1 or evil.com, mail a@evil.com ‮moc.live www.evil.com `;
  const long = "Night buses ".repeat(1_000);
  for (const others of [
    attack,
    long,
    "👩‍👩‍👧‍👦".repeat(500),
    "<b>bold</b><a href=https://evil.example>x</a>",
    "مرحبا.com ".repeat(99),
  ]) {
    const many = Array.from({ length: 12 }, (_, index) =>
      idea({ title: others, proposalId: `1Idea${index}`.padEnd(12, "x"), outboxId: index }),
    );
    const [first, ...more] = many;
    const cases = [
      [idea({ title: others, response: others, tellsResponse: true })],
      [idea({ title: others, status: "implemented", description: others })],
      [idea({ title: others, comments: { count: 1, body: others, name: others, byTeam: false } })],
      [first ?? idea(), ...more],
    ] as const;
    for (const ideas of cases) {
      const {
        subject,
        text = "",
        html = "",
        headers,
      } = await renderIdeaMail(ideas as readonly [ToldIdea, ...ToldIdea[]], SENDER);
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThan(400);
      expect(JSON.stringify(headers)).not.toMatch(/evil|\\r|\\n/);
      const plain = await renderIdeaMail(
        ideas.map((each) => ({
          ...each,
          title: "",
          response: each.response && "",
          description: "",
          comments: each.comments && { ...each.comments, body: "", name: "" },
        })) as never,
        SENDER,
      );
      const visible = (body: string) => body.replaceAll("\u2060", "").length;
      expect(visible(text) - visible(plain.text ?? "")).toBeLessThanOrEqual(210);
      // What our own link says is left out.
      const own = text.replaceAll(/https:\/\/ideas\.example\S*/g, "");
      expect(own).not.toMatch(/https?:\/\/\w|\w\.com|\w@\w|www\.\w/);
      expect(html).not.toMatch(/<b>|<a href=https|href="(?!https:\/\/ideas\.example)/);
      expect(text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
      expect(text).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
    }
  }
});

it("leads to the board's page, else to the tenant's, else nowhere; it has no picture and no address but these", async () => {
  const addresses = async (more: Partial<ToldIdea["ideaBank"]>) => {
    const told = idea();
    const { text, html = "" } = await renderIdeaMail([{ ...told, ideaBank: { ...told.ideaBank, ...more } }], SENDER);
    expect(html).not.toMatch(/<img|<link|<script|url\(|src=/);
    return [...text.matchAll(/https:\S+/g)].map(String).filter((address) => !address.includes("/b/mail/"));
  };
  expect(await addresses({})).toEqual(["https://ideas.example/b/1BankBankBan/rider-ideas/ideas/1IdeaIdeaIde"]);
  expect(await addresses({ publicPage: false, url: "https://shop.example/ideas?tab=1#top" })).toEqual([
    "https://shop.example/ideas?tab=1&idea=1IdeaIdeaIde#top",
  ]);
  expect(await addresses({ publicPage: false })).toEqual([]);
});

it("is one message to one address, with what stops automatic answers, and says whether anybody reads replies", async () => {
  const mail = await renderIdeaMail([idea()], SENDER);
  expect(mail.to).toBe("ana@example.com");
  expect(mail.fromName).toBe("Riverline");
  expect(mail.text).toContain("Nobody reads replies to this email.");
  expect((await renderIdeaMail([idea()], { ...SENDER, hasReplyTo: true })).text).not.toContain("Nobody reads");
});
