/** Reports of API keys that were found in public: GitHub's secret scanning, signed; and whoever found one, by a form. */
import type { Gatekeeper } from "../api-key-gate/gatekeeper.ts";
import { findApiKeys } from "../credentials/api-key.ts";
import type { AppEnv } from "../http/app-env.ts";
import { parseOrThrow } from "../http/invalid-request.ts";
import { toProblem } from "../http/problem-response.ts";
import { JSON_TYPE, parseJson, readBytes, readForm } from "../http/read-body.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { Routes } from "../http/routes.ts";
import type { LeakVerdicts } from "../model/leak.ts";
import { Problem } from "../problem.ts";
import { endLeakedKeys } from "./end-leaked-keys.ts";
import { isSignedBy, PublishedKeys } from "./github-signature.ts";
import { LEAK_OPERATIONS } from "./operations.ts";

const MAX_BYTES = 1024 * 1024;
/** Of what somebody pastes. */
const MAX_PASTED = 20;

const unsigned = () =>
  new Problem("unauthorized", {
    detail: "The body must be signed with one of the published keys.",
    headers: { "WWW-Authenticate": "Github-Public-Key-Signature" },
    cause: "a report without a valid signature",
  });

export function createLeakRoutes(gatekeeper: Gatekeeper): Routes<AppEnv> {
  const publishedKeys = new PublishedKeys();
  const routes = routeOperations<AppEnv, typeof LEAK_OPERATIONS>(
    LEAK_OPERATIONS,
    (_, { body: schema }) =>
      async (c) => {
        const url = c.env.GITHUB_KEYS_URL;
        if (!url) throw new Problem("not-found");
        const identifier = c.req.header("Github-Public-Key-Identifier");
        const signature = c.req.header("Github-Public-Key-Signature");
        if (!identifier || !signature) throw unsigned();
        const body = await readBytes(c.req.raw, JSON_TYPE, MAX_BYTES);
        const pem = await publishedKeys.find(url, identifier).catch((cause: unknown) => {
          throw new Problem("service-unavailable", { headers: { "Retry-After": "5" }, cause });
        });
        if (pem === undefined || !(await isSignedBy(pem, signature, body))) throw unsigned();
        const reports = parseOrThrow(schema, parseJson(body).value);
        const findings = reports.map(({ token, url, source }) => ({ token, foundAt: url || source || "" }));
        const isOurs = await endLeakedKeys(c, gatekeeper, findings, "GitHub secret scanning");
        const verdicts: LeakVerdicts = reports.map(({ token, type }, index) => ({
          token_raw: token,
          token_type: type,
          label: isOurs[index] ? "true_positive" : "false_positive",
        }));
        return c.json(verdicts);
      },
  );

  // The page is a file, as are the two that answer it: they say the same whatever was pasted.
  routes.post("/leaks/reports", async (c) => {
    try {
      const fields = await readForm(c.req.raw);
      const foundAt = fields.get("foundAt") ?? "";
      const found = await findApiKeys(fields.get("key") ?? "", c.get("settings").signingKeys);
      const tokens = found.slice(0, MAX_PASTED);
      const findings = tokens.map((token) => ({ token, foundAt }));
      await endLeakedKeys(c, gatekeeper, findings, "somebody who found it");
      return c.redirect("/leaks/thanks", 303);
    } catch (error) {
      toProblem(error instanceof Error ? error : new Error(String(error)), c);
      return c.redirect("/leaks/again", 303);
    }
  });
  return routes;
}
