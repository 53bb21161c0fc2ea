/** `/account/api-keys/{id}`: one key, its settings and its use, which is a file for spreadsheets, too. */
import type { ApiKey } from "../../model/account-key.ts";
import type { ApiKeyUsage, OperationCount } from "../../model/api-key-usage.ts";
import { toCsvLine } from "../../model/csv.ts";
import { Layout } from "../frame/layout.tsx";
import { file, page } from "../frame/page.tsx";
import { Time } from "../frame/times.tsx";
import { API_KEYS, loadKeyUse } from "./actions.ts";
import { KeyActions } from "./key-actions.tsx";
import { EndsSoon, KeyFacts, PausedSince } from "./key-facts.tsx";
import { LastUses, OperationsTable } from "./key-use.tsx";
import { TryKey } from "./shown-key-page.tsx";
import { DayChart, UsageChart } from "./usage-chart.tsx";

const PATH = `${API_KEYS}/:apiKeyId`;

export const KEY_PAGE = page({
  path: PATH,
  needs: "admin",
  load: async (c) => ({ ...(await loadKeyUse(c, c.req.param("apiKeyId"))), origin: new URL(c.req.url).origin }),

  view: ({ apiKey, usage, isCurrent, origin }) => {
    const { id, name, lastFour, state } = apiKey;
    const path = `${API_KEYS}/${id}`;
    return (
      <Layout title={name} current="api-keys">
        <div class="key-head">
          <code>{`ibk_${id}…${lastFour}`}</code>
          <a href={`/account/activity?apiKeyId=${id}`}>Activity</a>
          {state === "active" && <KeyActions apiKey={apiKey} />}
        </div>
        <Ended apiKey={apiKey} />
        <PausedSince apiKey={apiKey} />
        <EndsSoon apiKey={apiKey} />
        <div class="create key-page">
          <KeyFacts apiKey={apiKey} />
          <div>
            <UsageChart apiKey={apiKey} />
            <DayChart usage={usage.items} />
            <p class="hint">
              {"Last 30 days, by hour: "}
              <a href={`${path}/usage.csv`}>CSV</a>
              {". By operation: "}
              <a href={`${path}/operations.csv`}>CSV</a>
              {". Both: "}
              <a href={`/account/api/keys/${id}/usage`}>JSON</a>.{" "}
              {isCurrent
                ? "Counts are a few seconds behind."
                : "The newest counts can’t be read right now: these may be up to a day behind."}
            </p>
          </div>
        </div>
        <h2>Who uses it, and what for</h2>
        <LastUses usage={usage} />
        <OperationsTable usage={usage} />
        <TryKey origin={origin} />
      </Layout>
    );
  },
});

/** A key that works no more: since when, and what is left to do. */
const Ended = ({ apiKey: { id, state, revokedAt, expiresAt } }: { readonly apiKey: ApiKey }) =>
  state !== "active" && (
    <p class="notice">
      {state === "revoked" ? "Revoked " : "Expired "}
      <Time at={revokedAt ?? expiresAt ?? ""} />. Requests with it are refused.{" "}
      <a href={`${API_KEYS}/${id}/leaked`}>Did it leak?</a>
    </p>
  );

const toOperationLine = (span: string) => (count: OperationCount) =>
  toCsvLine([span, count.start, count.operation, count.admitted]);

/** A key's use as CSV (RFC 4180), for spreadsheets: the lines of each file. They contain no text from clients. */
const USAGE_FILES: Readonly<Record<"usage" | "operations", (usage: ApiKeyUsage) => string[]>> = {
  usage: ({ items }) => [
    toCsvLine(["hour", "admitted", "limited"]),
    ...items.map(({ hour, admitted, limited }) => toCsvLine([hour, admitted, limited])),
  ],
  operations: ({ hours, days }) => [
    toCsvLine(["span", "start", "operation", "admitted"]),
    ...hours.map(toOperationLine("hour")),
    ...days.map(toOperationLine("day")),
  ],
};

export const USAGE_CSV = Object.entries(USAGE_FILES).map(([name, toLines]) =>
  file(
    `${PATH}/${name}.csv`,
    async (c) => {
      const { apiKey, usage } = await loadKeyUse(c, c.req.param("apiKeyId"));
      return c.body(toLines(usage).join(""), 200, {
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": `attachment; filename="${apiKey.id}-${name}.csv"`,
      });
    },
    "admin",
  ),
);
