import type { History } from "../history.ts";
import { type Finding, oracle } from "./oracle.ts";
import { callsOf, groupBy } from "./seen/calls.ts";
import { ideaBankIdOf, tokenOf } from "./seen/credentials.ts";
import { accountOfIdeaBank, changelogAt, changelogText } from "./seen/expected.ts";
import { rowsOf } from "./seen/rows.ts";

/**
 * Strong: one ETag of an idea bank names one body. The other way round, two answers with one body have one ETag where the changelog was
 * the same at every moment between the two: a body that comes back after a change may come back under another ETag.
 */
function* find(history: History): Iterable<Finding> {
  const rows = rowsOf(history);
  const answers = callsOf(history).filter((call) => call.operation === "getChangelog" && call.status === 200);
  for (const [ideaBank, calls] of groupBy(answers, (call) => ideaBankIdOf(tokenOf(call) ?? ""))) {
    const bodies = new Map<string, { readonly shown: string; readonly call: number }>();
    const etags = new Map<string, { readonly etag: string; readonly call: number; readonly at: number }>();
    const account = accountOfIdeaBank(rows, ideaBank) ?? "";
    for (const call of calls) {
      const etag = call.answer?.headers.etag;
      const shown = changelogText(call.answer?.body) ?? "";
      if (etag === undefined || !/^"[^"]*"$/.test(etag)) {
        yield { at: call.answeredAt, found: `a changelog has the ETag ${etag}: not a strong one`, calls: [call.call] };
        continue;
      }
      const other = bodies.get(etag);
      if (other !== undefined && other.shown !== shown) {
        yield { at: call.answeredAt, found: `two changelogs have the ETag ${etag}`, calls: [other.call, call.call] };
      }
      bodies.set(etag, { shown, call: call.call });
      const same = etags.get(shown);
      etags.set(shown, { etag, call: call.call, at: call.at });
      if (same === undefined || same.etag === etag) continue;
      const since = rows.span(account, same.at - 300_000, call.answeredAt);
      if (!since.every((moment) => changelogAt(history, ideaBank, moment).includes(shown))) continue;
      yield {
        at: call.answeredAt,
        found: `one changelog has the ETags ${same.etag} and ${etag}`,
        calls: [same.call, call.call],
      };
    }
  }
}

export const etags = oracle(
  {
    name: "etag-names-body",
    promise: "Fresh",
    words: "An `ETag` of a changelog names one body, and 304 is answered only while that is the changelog.",
  },
  find,
);
