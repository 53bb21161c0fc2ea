/** `/account/api-keys`: the keys of the account, and the forms that change them. */
import type { Context } from "hono";
import { noSuchKey } from "../../api-key-gate/key-changes.ts";
import { secureRandomBytes } from "../../credentials/base62.ts";
import { signFormId, verifyFormId } from "../../credentials/form-id.ts";
import { createId } from "../../credentials/id.ts";
import { listApiKeys, loadOwnApiKey } from "../../database/account-api-keys.ts";
import { loadEndOfTokens } from "../../database/end-of-tokens.ts";
import { type FieldError, parseOrThrow } from "../../http/invalid-request.ts";
import { readForm } from "../../http/read-body.ts";
import type { Routes } from "../../http/routes.ts";
import { type ApiKey, MAX_ACTIVE_KEYS, Rotation } from "../../model/account.ts";
import type { AccountSettings } from "../../model/api-key-settings.ts";
import type { ApiKeyUsage, OperationCount } from "../../model/api-key-usage.ts";
import { primaryOf, visitAccount } from "../account-databases.ts";
import { openOwn } from "../frame/decide.ts";
import { changedSettings } from "../frame/opened-form.tsx";
import { fieldErrorsOf, renderPage } from "../frame/render-page.tsx";
import { ownPage } from "../frame/visit.ts";
import type { OwnerEnv } from "../owner-env.ts";
import { changeKey, createKey, loadKeyUse, revokeKey, rotateKey } from "./actions.ts";
import { ChangePage, RevokePage, toFields } from "./change-page.tsx";
import { NewKeyPage } from "./create-form.tsx";
import { namingAddresses, toKeyChanges, toNewApiKey } from "./forms.ts";
import { KeyPage } from "./key-page.tsx";
import { endOf, LeakedPage } from "./leaked-page.tsx";
import { ApiKeysPage } from "./list-page.tsx";
import { changeSettings } from "./settings.ts";
import { ShownKeyPage } from "./shown-key-page.tsx";

const LIST = "/account/api-keys";
const NEW = `${LIST}/new`;

export function addKeyPages(routes: Routes<OwnerEnv>): void {
  routes.get(LIST, async (c) => {
    // The form had this link before it had a page.
    if (c.req.query("create") !== undefined) return c.redirect(NEW, 303);
    const overview = await visitAccount(c, listApiKeys);
    const props = { overview, now: Date.now(), done: { what: c.req.query("done"), apiKeyId: c.req.query("key") } };
    return renderPage(c, (frame) => <ApiKeysPage frame={frame} {...props} />);
  });

  routes.get(NEW, async (c) => {
    const like = c.req.query("like");
    const now = Date.now();
    return renderNew(c, like ? likeKey(await loadKey(c, like, now), now) : new URLSearchParams());
  });

  routes.post(LIST, async (c) => {
    const fields = await readForm(c);
    try {
      const id = await verifyFormId(fields.get("newKeyId") ?? "", c.var.owner.email, c.get("settings").signingKeys);
      const shown = await createKey(c, toNewApiKey(fields), { chosenId: id });
      const origin = new URL(c.req.url).origin;
      return renderPage(
        c,
        (frame) => <ShownKeyPage frame={frame} shown={shown} rotated={false} origin={origin} />,
        201,
      );
    } catch (error) {
      return renderNew(c, fields, namingAddresses(fieldErrorsOf(error), fields));
    }
  });

  routes.post(`${LIST}/:apiKeyId/rotate`, async (c) => {
    const fields = await readForm(c);
    const graceSeconds = Number(fields.get("graceSeconds") || Number.NaN);
    const rotation = parseOrThrow(Rotation, { graceSeconds, lastFour: fields.get("lastFour") ?? undefined });
    const shown = await rotateKey(c, { id: c.req.param("apiKeyId"), rotation });
    const origin = new URL(c.req.url).origin;
    return renderPage(c, (frame) => <ShownKeyPage frame={frame} shown={shown} rotated origin={origin} />, 201);
  });

  const KEY = `${LIST}/:apiKeyId`;
  routes.get(KEY, async (c) => {
    const found = await loadKeyUse(c, c.req.param("apiKeyId"));
    const origin = new URL(c.req.url).origin;
    const props = { ...found, origin, now: Date.now() };
    return renderPage(c, (frame) => <KeyPage frame={frame} {...props} />);
  });

  for (const [file, toLines] of Object.entries(USAGE_FILES)) {
    routes.get(`${KEY}/${file}.csv`, async (c) => {
      const { apiKey, usage } = await loadKeyUse(c, c.req.param("apiKeyId"));
      return c.body(toLines(usage).join(""), 200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${apiKey.id}-${file}.csv"`,
      });
    });
  }

  routes.get(`${LIST}/:apiKeyId/change`, async (c) => {
    const apiKey = await loadKey(c, c.req.param("apiKeyId"), Date.now());
    return renderPage(c, (frame) => <ChangePage frame={frame} apiKey={apiKey} sent={undefined} errors={[]} />);
  });

  routes.post(`${LIST}/:apiKeyId/change`, async (c) => {
    const fields = await readForm(c);
    const id = c.req.param("apiKeyId");
    try {
      await changeKey(c, id, toKeyChanges(fields, Date.now()));
      return c.redirect(`${LIST}?done=changed&key=${id}`, 303);
    } catch (error) {
      const errors = namingAddresses(fieldErrorsOf(error), fields);
      const apiKey = await loadKey(c, id, Date.now());
      return renderPage(c, (frame) => <ChangePage frame={frame} apiKey={apiKey} sent={fields} errors={errors} />, 400);
    }
  });

  routes.get(`${LIST}/:apiKeyId/revoke`, async (c) => {
    const now = Date.now();
    const apiKey = await loadKey(c, c.req.param("apiKeyId"), now);
    return renderPage(c, (frame) => <RevokePage frame={frame} apiKey={apiKey} now={now} />);
  });

  routes.post(`${LIST}/:apiKeyId/revoke`, async (c) => {
    const { id } = await revokeKey(c, c.req.param("apiKeyId"));
    return c.redirect(ownPage(c.req.query("back") ?? null, `${LIST}?done=revoked&key=${id}`), 303);
  });

  routes.get(`${LIST}/:apiKeyId/leaked`, async (c) => {
    const now = Date.now();
    const apiKey = await loadKey(c, c.req.param("apiKeyId"), now);
    const { keys } = await visitAccount(c, listApiKeys);
    const { session, accountId } = await openOwn(c);
    const tokensEndedAt = (await loadEndOfTokens(session, accountId))?.tokensEndedAt ?? null;
    const endedAt = endOf(apiKey);
    const successor = keys.findLast(
      ({ state, createdAt }) => state === "active" && endedAt !== null && Date.parse(createdAt) >= endedAt,
    );
    const props = { apiKey, tokensEndedAt, successor, now };
    return renderPage(c, (frame) => <LeakedPage frame={frame} {...props} />);
  });

  routes.post("/account/settings", async (c) => {
    const { leakedKeys } = changedSettings(await readForm(c), toSettings);
    if (leakedKeys !== undefined) await changeSettings(c, { leakedKeys });
    return c.redirect(`${LIST}?done=settings`, 303);
  });
}

const DAY_MS = 86_400_000;

/** The fields for a key like this one. It expires when this one does; after that, in as many days as this one was given. */
function likeKey(apiKey: ApiKey, now: number): URLSearchParams {
  const fields = toFields(apiKey);
  const end = apiKey.expiresAt === null ? undefined : Date.parse(apiKey.expiresAt);
  const days = end && Math.ceil((end - (end > now ? now : Date.parse(apiKey.createdAt))) / DAY_MS);
  fields.set("expiresInDays", String(days ?? ""));
  return fields;
}

const toSettings = (fields: URLSearchParams): AccountSettings => ({ leakedKeys: fields.has("mark") ? "mark" : "end" });

async function loadKey(c: Context<OwnerEnv>, id: string, now: number): Promise<ApiKey> {
  const apiKey = await loadOwnApiKey(primaryOf(c, id), { email: c.var.owner.email, id, now });
  if (apiKey === null) throw noSuchKey();
  return apiKey;
}

async function renderNew(
  c: Context<OwnerEnv>,
  fields: URLSearchParams,
  errors: readonly FieldError[] = [],
): Promise<Response> {
  const { accountId, keys } = await visitAccount(c, listApiKeys);
  const hasRoom = keys.filter(({ state }) => state === "active").length < MAX_ACTIVE_KEYS;
  const { signingKeys } = c.get("settings");
  const newKeyId = hasRoom
    ? await signFormId(createId(accountId, secureRandomBytes), c.var.owner.email, signingKeys)
    : undefined;
  const props = { newKeyId, fields, errors };
  return renderPage(c, (frame) => <NewKeyPage frame={frame} {...props} />, errors.length > 0 ? 400 : 200);
}

const toLine = (values: readonly (string | number)[]): string => `${values.join(",")}\r\n`;

const toOperationLine = (span: string) => (count: OperationCount) =>
  toLine([span, count.start, count.operation, count.admitted]);

/** A key's use as CSV (RFC 4180), for spreadsheets: the lines of each file. They contain no text from clients. */
const USAGE_FILES: Readonly<Record<"usage" | "operations", (usage: ApiKeyUsage) => string[]>> = {
  usage: ({ items }) => [
    toLine(["hour", "admitted", "limited"]),
    ...items.map(({ hour, admitted, limited }) => toLine([hour, admitted, limited])),
  ],
  operations: ({ hours, days }) => [
    toLine(["span", "start", "operation", "admitted"]),
    ...hours.map(toOperationLine("hour")),
    ...days.map(toOperationLine("day")),
  ],
};
