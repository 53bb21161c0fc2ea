/**
 * No text of a stranger takes more time than its length: each function that reads one gets the worst texts that are known, and takes about
 * as long as for plain words of the same length.
 */
import { expect, it } from "vitest";
import { textOfHtml } from "../../src/import/html.ts";
import { Lost, toName, toProse, toTags, toTitle } from "../../src/import/ideas.ts";
import { readCsv } from "../../src/import/read-csv.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { hasCredential } from "../../src/worker/credentials/hide-credentials.ts";
import { mistakeInKey, mistakeInToken } from "../../src/worker/credentials/mistakes.ts";
import { findSecrets } from "../../src/worker/leaks/find-secrets.ts";
import { textOfError } from "../../src/worker/log.ts";
import { NewApiKey } from "../../src/worker/model/account-key.ts";
import { clientOf, parseBlock } from "../../src/worker/model/address.ts";
import { TenantComment } from "../../src/worker/model/comment.ts";
import { firstLine, parseText } from "../../src/worker/model/light-formatting.ts";
import { NewMember } from "../../src/worker/model/member.ts";
import { isOwnPage } from "../../src/worker/model/own-page.ts";
import { NewPanelist } from "../../src/worker/model/panelist.ts";
import { PanelistProposalQuery, SimilarQuery, Submission } from "../../src/worker/model/panelist-proposal.ts";
import { NewProposal, ProposalChanges } from "../../src/worker/model/proposal.ts";
import { toSeen } from "../../src/worker/model/seen.ts";
import { claimErrorsOf, namedIdeaBank, verifyAnyToken } from "../../src/worker/model/signed-token.ts";
import { withoutInvisible } from "../../src/worker/model/text.ts";
import { checkWebhookUrl } from "../../src/worker/model/webhook-url.ts";
import { searchTerms, textTerms, titleTerms, titleWords } from "../../src/worker/model/words.ts";
import { ATOM, JSON_FEED } from "../../src/worker/view/render-feed.ts";
import { encodedTexts, findSlow, hostileTexts } from "../support/hostile-texts.ts";

/** Less than this says nothing, in milliseconds. */
const FLOOR = 0.5;
const BODY = 64 * 1024;
const DESCRIPTION = 10_000;
const TITLE = 200;

const keys = await importSigningKeys(["a-secret-that-only-this-test-signs-with"]);
const lost = new Lost();
const entry = (description: string) => ({
  ...{ id: "urn:uuid:0", title: "Ideas", link: null },
  entries: [{ id: "urn:uuid:1", title: "An entry", description, lastModified: 1, published: 1 }],
});
const headers = (value: string) => new Headers({ "User-Agent": value.replace(/[^ -~]/g, "?").trim() });
const hide = { hide: { now: 0, address: "192.0.2.7", operation: "whoami" } };
/** As many items as say whether their time follows from their number: plain words have few. */
const listOf = (text: string) => text.split(",").slice(0, 1_000);
async function* bytes(text: string) {
  yield new TextEncoder().encode(text);
}

/** What reads it, the longest text that it is given, and how. */
const READERS: readonly (readonly [name: string, length: number, read: (text: string) => unknown])[] = [
  ["a refused form of Account Settings, an Idempotency-Key, a name", BODY, (text) => hasCredential(text)],
  ["a report of a leak", BODY, (text) => findSecrets([text], keys)],
  [
    "a report of sixteen leaks",
    BODY / 16,
    (text) =>
      findSecrets(
        Array.from({ length: 16 }, () => text),
        keys,
      ),
  ],
  ["an error in the log", BODY, (text) => textOfError(new Error(text, { cause: text }))],
  ["a user agent", BODY / 4, (text) => toSeen({ ...hide.hide, sent: { headers: headers(text) } })],
  [
    "a credential that was sent wrong",
    BODY / 4,
    (text) => [mistakeInKey(text, text), mistakeInToken(text, text), mistakeInKey("", text)],
  ],
  [
    "a token",
    BODY / 4,
    (text) => Promise.all([verifyAnyToken(text, keys), namedIdeaBank(text), claimErrorsOf(text, "b")]),
  ],
  ["an address of a client", BODY / 4, (text) => [clientOf(text), parseBlock(text)]],
  ["a page to go back to", BODY / 4, isOwnPage],
  ["a webhook's URL", BODY, (text) => checkWebhookUrl(text, "https://api.example/account")],
  ["a description or a comment, shown", DESCRIPTION, parseText],
  ["its first line", DESCRIPTION, firstLine],
  ["its first line among others", DESCRIPTION, (text) => firstLine(`\n${text.replaceAll("\n", " ")}`)],
  ["a feed", DESCRIPTION, (text) => [ATOM.render(entry(text)), JSON_FEED.render(entry(text))]],
  ["what the activity shows", DESCRIPTION, withoutInvisible],
  ["a title's words", TITLE, titleWords],
  ["its other terms", TITLE, titleTerms],
  ["a description's terms", DESCRIPTION, textTerms],
  ["a search", TITLE, searchTerms],
  [
    "a comment that is sent",
    BODY,
    (text) => TenantComment.safeParse({ body: text, createdAt: text, panelistExternalId: text }),
  ],
  ["an idea that is sent by a panelist", BODY, (text) => Submission.safeParse({ title: text, description: text })],
  [
    "an idea that is sent by a tenant",
    BODY,
    (text) =>
      NewProposal.safeParse({
        title: text,
        description: text,
        response: { text },
        tags: [text],
        metadata: { a: text, [text]: "a" },
        createdAt: text,
      }),
  ],
  ["tags", BODY, (text) => ProposalChanges.safeParse({ tags: listOf(text) })],
  ["tags of one letter", BODY, (text) => ProposalChanges.safeParse({ tags: [...text.slice(0, BODY / 4)] })],
  [
    "pairs of metadata",
    BODY / 4,
    (text) => ProposalChanges.safeParse({ metadata: Object.fromEntries(listOf(text).map((name) => [name, name])) }),
  ],
  ["a person", BODY, (text) => NewPanelist.safeParse({ externalId: text, displayName: text })],
  ["a member", BODY, (text) => NewMember.safeParse({ email: text })],
  [
    "an API key's settings",
    BODY,
    (text) => NewApiKey.safeParse({ name: text, scopes: listOf(text), allowedAddresses: listOf(text) }),
  ],
  [
    "a list's filters",
    BODY / 4,
    (text) => [
      PanelistProposalQuery.safeParse({ q: text, tag: text, status: text, cursor: text }),
      SimilarQuery.safeParse({ title: text }),
    ],
  ],
  [
    "a text of a file that is imported",
    BODY,
    (text) => [toTitle(text, lost), toName(text, lost), toProse(text, "text", lost), toTags([text], lost)],
  ],
  ["HTML of a file that is imported", BODY, textOfHtml],
  [
    "a CSV file that is imported",
    BODY,
    (text) =>
      readCsv(
        bytes(
          `id,title,tags,voters\n1,"${text.replaceAll('"', '""')}",,\n2,a,"${text.replaceAll('"', '""')}","${text.replaceAll('"', '""')}"\n`,
        ),
        0,
      ),
  ],
];

/** These read what texts are encoded, too. */
const DECODING = ["a report of a leak", "a report of sixteen leaks"];

it.each(READERS)(
  "%s is read in a time that follows from its length (%i characters at most)",
  async (name, length, read) => {
    const millisecondsOf = async (text: string) => {
      // Of this thread: a busy machine takes none of it.
      const before = process.threadCpuUsage();
      await read(text);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1_000;
    };
    const encoded = DECODING.includes(name) ? encodedTexts(length) : [];
    const texts = new Map([...hostileTexts(length), ...encoded]);
    const { slow, slowest } = await findSlow(texts, { millisecondsOf, floor: FLOOR });
    console.log(`the slowest: ${slowest.ratio.toFixed(1)} times, ${JSON.stringify(slowest.text)}`);
    expect(slow).toEqual([]);
  },
);
