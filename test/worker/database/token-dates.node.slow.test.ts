/**
 * Every order of ends and tokens, in one second and in neighboring ones, in SQLite whose clock the test moves. The oracle has the words
 * of the promise: a token that was issued before an end that covers it is refused, and one issued after the last such end is accepted.
 */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { issueToken, type VerifiedToken } from "../../../src/worker/credentials/compound-token.ts";
import { importSigningKeys } from "../../../src/worker/credentials/envelope.ts";
import { deriveId } from "../../../src/worker/credentials/id.ts";
import { permitted, tokenValues } from "../../../src/worker/database/panelists/panelist-access.ts";
import {
  deletePanelist,
  revokePanelistTokens,
  updatePanelist,
} from "../../../src/worker/database/panelists/panelists.ts";
import { loadSigningEpochs, rotateSigningSecret } from "../../../src/worker/database/secrets/signing-secrets.ts";
import { endAllTokens } from "../../../src/worker/database/tokens/end-of-tokens.ts";
import { introspect } from "../../../src/worker/database/tokens/introspection.ts";
import { recordLeakedTokens } from "../../../src/worker/database/tokens/leaked-tokens.ts";
import { endVisitorTokens, prepareTokenIssue, VISITOR } from "../../../src/worker/database/tokens/token-issues.ts";
import { signingSecretOf, verifyAnyToken } from "../../../src/worker/model/signed-token.ts";
import { Databases } from "../../../src/worker/store/databases.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { IdeaBankViews } from "../../../src/worker/view/views.ts";
import { Tables } from "../../simulation/world/tables.ts";
import { bindingOf } from "../../support/d1.ts";
import { signJwt } from "../../support/sign-jwt.ts";

const START = 1_900_000_000_000;
const [ACCOUNT, BANK, SUBJECT, EMAIL] = ["0accountAAAA", "0bankBBBBBBB", "customer-42", "o@example.com"];
const keys = await importSigningKeys(["a-secret-that-only-this-test-signs-with"]);
const tables = new Tables();

type Kind = "panelist" | "visitor" | "signed";
const KINDS: readonly Kind[] = ["panelist", "visitor", "signed"];
const COVERED = {
  "their tokens are revoked": ["panelist", "signed"],
  "visitors' tokens are ended": ["visitor"],
  "all tokens are ended": ["panelist", "visitor", "signed"],
  "the person is blocked": ["panelist", "signed"],
  "the person is deleted": ["panelist", "signed"],
  "the secret is rotated": ["signed"],
} as const satisfies Readonly<Record<string, readonly Kind[]>>;
type End = keyof typeof COVERED;
const ENDS = Object.keys(COVERED) as readonly End[];
const covers = (end: End, kind: Kind) => COVERED[end].some((covered) => covered === kind);

type Act = { readonly end: End; readonly isNextSecond: boolean };
type Token = { readonly kind: Kind; readonly text: string; readonly at: number; readonly after: number };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
afterEach(() => void vi.useRealTimers());

/** `workerAhead`: the Worker's clock is so many milliseconds ahead of D1's. */
async function createWorld(workerAhead = 0) {
  let time = START + 100;
  const moveTo = (at: number) => {
    time = at;
    vi.setSystemTime(time + workerAhead);
  };
  moveTo(time);
  tables.clear();
  tables.start();
  tables.clock = () => time;
  let random = 0;
  tables.bytes = (length) => Uint8Array.from({ length }, () => (random = (random * 31 + 7) % 251));
  const binding = bindingOf(async ({ statements }) => {
    const { rows, changes } = tables.write(statements);
    return { results: rows.map((results) => ({ results, meta: { changes: changes.length } })), version: 1 };
  });
  const caller = { env: { DB: binding as never }, executionCtx: { waitUntil: () => {} } };
  const database = new Databases().of(caller, "0");
  if (database === undefined) throw new Error("there is no database");
  const session = database.withoutSession();
  for (const sql of [
    `INSERT INTO accounts (id, owner_email, created_at, panelist_salt) VALUES ('${ACCOUNT}', '${EMAIL}', 1, '${"0".repeat(32)}')`,
    `INSERT INTO idea_banks (id, account_id, name, status, changelog_enabled, created_at) VALUES ('${BANK}', '${ACCOUNT}', 'B', 'OPEN', 1, 1)`,
  ])
    await session.run(prepare(sql));
  const panelistId = await deriveId({ accountId: ACCOUNT, externalId: SUBJECT }, "0".repeat(32));
  const person = { accountId: ACCOUNT, id: panelistId };
  const idempotencyKey = undefined;
  let isBlocked = false;
  /** When ends were made: Unix milliseconds, by D1. */
  const ended: { readonly end: End; readonly at: number }[] = [];
  const [tokens, waited]: [Token[], { readonly kind: Kind; readonly at: number }[]] = [[], []];

  const unblock = async () => {
    if (isBlocked) await updatePanelist(session, { ...person, changes: { active: true }, now: Date.now() });
    isBlocked = false;
  };

  const make = async (end: End) => {
    const now = Date.now();
    switch (end) {
      case "their tokens are revoked":
        return revokePanelistTokens(session, { ...person, newExternalId: SUBJECT, now });
      case "visitors' tokens are ended":
        return endVisitorTokens(session, { accountId: ACCOUNT, ideaBankId: BANK, idempotencyKey });
      case "all tokens are ended": {
        const owner = { email: EMAIL, person: EMAIL, actor: EMAIL, address: null };
        const stamp = { now, eventId: `0event${ended.length}` };
        return endAllTokens(session, { owner, accountId: ACCOUNT, stamp, idempotencyKey });
      }
      case "the person is blocked":
        isBlocked = true;
        return updatePanelist(session, { ...person, changes: { active: false }, now });
      case "the person is deleted":
        isBlocked = false;
        return deletePanelist(session, { ...person, deletesContent: false, now, idempotencyKey });
      case "the secret is rotated": {
        const reader = { apiKeyId: "0key", eventId: "0read", address: null, now };
        return rotateSigningSecret(session, {
          ...{ accountId: ACCOUNT, ideaBankId: BANK, graceSeconds: 0, reader, idempotencyKey },
        });
      }
    }
  };

  const give = async (kind: Kind) => {
    const now = Date.now();
    const given = { kind, at: time, after: ended.length };
    if (kind === "signed") {
      const epochs = await loadSigningEpochs(session, ACCOUNT, BANK);
      if (epochs === null) throw new Error("there is no idea bank");
      const name = {
        ideaBankId: BANK,
        accountId: ACCOUNT,
        accountEpoch: epochs.accountEpoch,
        epoch: epochs.signingEpoch,
      };
      const { kid, secret } = await signingSecretOf(name, keys);
      const iat = Math.floor(now / 1000);
      const claims = { iss: BANK, sub: SUBJECT, iat, exp: iat + 3_600 };
      tokens.push({ ...given, text: await signJwt({ alg: "HS256", kid }, claims, secret) });
      return;
    }
    const panelist =
      kind === "visitor"
        ? VISITOR
        : { externalId: SUBJECT, newPanelistId: panelistId, displayName: undefined, email: undefined };
    const issue = await prepareTokenIssue(session, {
      ...{ accountId: ACCOUNT, ideaBankId: BANK, panelist, now, idempotencyKey, recorded: undefined },
    });
    if (issue.kind === "just-revoked") waited.push({ kind, at: time });
    if (issue.kind !== "done") return;
    const { outcome } = issue;
    const text = await issueToken({ ideaBankId: BANK, ...outcome, expiresAt: outcome.issuedAt + 3_600 }, keys);
    tokens.push({ ...given, text });
  };

  const identify = async (text: string): Promise<VerifiedToken> => {
    const verified = await verifyAnyToken(text, keys);
    if (!verified.ok) throw new Error(verified.reason);
    const { value } = verified;
    return value.panelistId === undefined ? { ...value, panelistId } : value;
  };

  /** What each place that judges tokens says of one. */
  const judge = async (text: string): Promise<Readonly<Record<string, boolean>>> => {
    const claims = await identify(text);
    const opened = await new IdeaBankViews().open(claims, {
      ...{ database, store: undefined, freshMs: 0, youngMs: 0, floor: undefined, capability: null },
      admitLookup: async () => {},
      waitUntil: () => {},
    });
    const { active } = await introspect(session, { accountId: ACCOUNT, token: text, keys, now: Date.now() });
    const written = await session.all(prepare(`SELECT 1 ${permitted("canVote")}`, tokenValues(claims)));
    const hasRow = await session.first(prepare("SELECT 1 FROM panelists WHERE id = :panelistId", { panelistId }));
    const canWrite = claims.panelistId !== null && hasRow !== null;
    return { view: !opened.isRevoked, introspection: active, ...(canWrite && { write: written.length === 1 }) };
  };

  /** Whether a report of the leaked token does anything. */
  const isEndedByReport = async (text: string) => {
    const claims = await identify(text);
    const externalId = claims.signed?.externalId ?? null;
    const epochs = await loadSigningEpochs(session, ACCOUNT, BANK);
    // The caller has checked the secret.
    if (claims.signed && claims.signed.accountEpoch !== epochs?.accountEpoch) return false;
    if (claims.signed && claims.signed.epoch !== epochs?.signingEpoch) return false;
    const secret = claims.signed ? "signed-token" : claims.panelistId === null ? "visitor-token" : "token";
    const { ideaBankId, issuedAt } = claims;
    const leak = {
      secret,
      ideaBankId,
      panelistId: claims.panelistId,
      externalId,
      issuedAt: issuedAt * 1000,
      ends: true,
    } as const;
    await recordLeakedTokens(session, {
      ...{ found: [{ ...leak, eventId: "0leak", foundAt: "a page" }], reporter: "R", now: Date.now() },
    });
    return (await session.first(prepare("SELECT 1 FROM audit_events WHERE id = '0leak'"))) !== null;
  };

  return {
    tokens,
    waited,
    ended,
    give,
    judge,
    isEndedByReport,
    unblock,
    isBlocked: () => isBlocked,
    get time() {
      return time;
    },
    passMs: (ms: number) => moveTo(time + ms),
    passSecond: () => moveTo(Math.floor(time / 1000) * 1000 + 1_050),
    end: async (end: End) => {
      await make(end);
      ended.push({ end, at: time });
    },
  };
}

type World = Awaited<ReturnType<typeof createWorld>>;
const secondOf = (at: number) => Math.floor(at / 1000);

/** The oracle. Undefined where the promise leaves it open. */
function expected({ ended, isBlocked }: World, { kind, at, after }: Token): boolean | undefined {
  const covering = ended.filter(({ end }) => covers(end, kind));
  if (ended.slice(after).some(({ end }) => covers(end, kind))) return false;
  if (isBlocked() && kind !== "visitor") return false;
  // A tenant's server writes whole seconds itself, so a token that it has signed in the second after an end may be taken for an earlier one.
  const byDate = covering.filter(({ end }) => !["the secret is rotated", "all tokens are ended"].includes(end));
  const isNear = byDate.some((end) => secondOf(at) <= secondOf(end.at) + 1);
  return kind === "signed" && isNear ? undefined : true;
}

async function play(acts: readonly Act[], workerAhead = 0): Promise<World> {
  const world = await createWorld(workerAhead);
  const giveAll = async () => {
    for (const kind of KINDS) await world.give(kind);
    world.passMs(10);
  };
  await giveAll();
  for (const { end, isNextSecond } of acts) {
    if (isNextSecond) world.passSecond();
    await world.end(end);
    world.passMs(10);
    await giveAll();
    if (world.isBlocked()) {
      await world.unblock();
      await giveAll();
    }
  }
  return world;
}

function* historiesOf(length: number): Generator<readonly Act[]> {
  if (length === 0) return yield [];
  for (const history of historiesOf(length - 1))
    for (const end of ENDS) for (const isNextSecond of [false, true]) yield [...history, { end, isNextSecond }];
}

const told = (acts: readonly Act[]) =>
  acts.map(({ end, isNextSecond }) => `${isNextSecond ? "in the next second " : ""}${end}`).join(", then ");

async function findWrong(acts: readonly Act[], workerAhead = 0): Promise<string[]> {
  const world = await play(acts, workerAhead);
  const wrong: string[] = [];
  for (const token of world.tokens) {
    const expectation = expected(world, token);
    if (expectation === undefined) continue;
    for (const [place, isValid] of Object.entries(await world.judge(token.text)))
      if (isValid !== expectation)
        wrong.push(
          `${told(acts)}: a ${token.kind} token from after ${token.after} of them is ${isValid} by the ${place}`,
        );
  }
  // Nobody waits for a token, unless tokens had been ended twice in these seconds.
  for (const { kind, at } of world.waited)
    if (world.ended.filter((end) => end.at <= at && at - end.at < 7_000).length < 2)
      wrong.push(`${told(acts)}: no ${kind} token at ${at}`);
  return wrong;
}

it.each([1, 2, 3])("%i ends in any order end the tokens before each of them, and none after them", async (length) => {
  const wrong: string[] = [];
  let histories = 0;
  for (const acts of historiesOf(length)) {
    histories += 1;
    wrong.push(...(await findWrong(acts)));
  }
  expect(wrong.slice(0, 10)).toEqual([]);
  expect(histories).toBe((2 * ENDS.length) ** length);
});

it("a report of a leaked token ends it if it is valid, and otherwise changes nothing", async () => {
  const wrong: string[] = [];
  for (const acts of [...historiesOf(1), ...historiesOf(2)]) {
    const count = (await play(acts)).tokens.length;
    for (let index = 0; index < count; index++) {
      const world = await play(acts);
      const token = world.tokens[index];
      const expectation = token && expected(world, token);
      if (token === undefined || expectation === undefined) continue;
      const isEnded = await world.isEndedByReport(token.text);
      if (isEnded !== expectation) wrong.push(`${told(acts)}: a ${token.kind} token is ${isEnded ? "" : "not "}ended`);
      if (Object.values(await world.judge(token.text)).includes(true))
        wrong.push(`${told(acts)}: a ${token.kind} token lives on`);
    }
  }
  expect(wrong.slice(0, 10)).toEqual([]);
});

it("after the last end everybody gets a token within two seconds", async () => {
  for (const acts of historiesOf(2)) {
    const world = await play(acts);
    world.passSecond();
    world.passSecond();
    const before = world.tokens.length;
    for (const kind of KINDS) await world.give(kind);
    expect([told(acts), world.tokens.length - before]).toEqual([told(acts), 3]);
  }
});

it.each([-5_000, -2_500, -300, 300, 2_500, 5_000])(
  "no token outlives its end where the Worker's clock is %i ms ahead of D1's, and none waits longer for the next",
  async (workerAhead) => {
    const wrong: string[] = [];
    for (const acts of [...historiesOf(1), ...historiesOf(2)]) {
      const world = await play(acts, workerAhead);
      for (const token of world.tokens) {
        const isEnded = world.ended.slice(token.after).some(({ end }) => covers(end, token.kind));
        const judged = Object.values(await world.judge(token.text));
        if (isEnded && judged.includes(true)) wrong.push(`${told(acts)}: a ${token.kind} token lives on`);
        if (!isEnded && token.kind !== "signed" && judged.includes(false))
          wrong.push(`${told(acts)}: a ${token.kind} token is refused`);
      }
      world.passMs(Math.max(0, workerAhead) + 2_000);
      const before = world.tokens.length;
      for (const kind of KINDS) await world.give(kind);
      if (world.tokens.length < before + 3) wrong.push(`${told(acts)}: a token is waited for`);
    }
    expect(wrong.slice(0, 10)).toEqual([]);
  },
);
