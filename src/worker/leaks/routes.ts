/** Reports of API keys that were found in public: signed ones from GitHub's secret scanning, and those of anybody, by a form. */
import type { Context } from "hono";
import * as z from "zod/mini";
import type { AppEnv } from "../http/app-env.ts";
import type { EveryRequest } from "../http/every-request.ts";
import { parseOrThrow } from "../http/invalid-request.ts";
import type { Operation, Operations } from "../http/operation.ts";
import { toProblem } from "../http/problem-response.ts";
import { JSON_TYPE, parseJson, readBytes, readForm } from "../http/read-body.ts";
import { routeOperations } from "../http/route-operations.ts";
import type { Routes } from "../http/routes.ts";
import { LeakReports, LeakVerdicts, toReport } from "../model/leak.ts";
import { Problem } from "../problem.ts";
import type { LeakMemory } from "./end-leaked-keys.ts";
import { endLeaks } from "./end-leaks.ts";
import { isSignedBy } from "./github-signature.ts";
import { KeysUnavailable, PublishedKeys } from "./published-keys.ts";
import { UnsignedBodies } from "./unsigned-bodies.ts";

const MAX_BYTES = 1024 * 1024;
/** The sender does not choose all of a report: a path, a branch or a neighbor's token can be anything. */
const Reports = z.array(z.unknown());

const unsigned = () =>
  new Problem("unauthorized", {
    detail: "The body must be signed with one of the published keys.",
    headers: { "WWW-Authenticate": "Github-Public-Key-Signature" },
    cause: "a report without a valid signature",
  });

/** The memory that the operation shares with others in the isolate. */
type ReportMemory = LeakMemory & { readonly publishedKeys: PublishedKeys; readonly signedBodies: UnsignedBodies };
type LeakOperation = Operation & { handle(c: Context<AppEnv>, memory: ReportMemory): Promise<Response> };

export const LEAK_OPERATIONS = {
  reportLeaks: {
    method: "POST",
    effect: "ends",
    path: "/leaks/github",
    credential: { kind: "none" },
    body: LeakReports,
    answer: LeakVerdicts,
    status: 200,
    untilDone: true,
    problems: ["unauthorized", "not-found"],
    tag: { name: "Leaks", description: "For GitHub's secret scanning." },
    summary: "Report API keys that were found in public",
    description:
      "The endpoint of GitHub's secret scanning partner programme. The request is signed: `Github-Public-Key-Identifier` names one " +
      "of the published keys, `Github-Public-Key-Signature` is the ECDSA signature (P-256, SHA-256) of the body. After the answer each " +
      "reported key that still worked is revoked, or only marked, as its owner has chosen. Reporting it again changes nothing. " +
      "Each report is judged by itself: one that is not understood is a `false_positive`, and keeps no other from its effect. At most " +
      "1 MiB at once.",
    handle: async (c, memory) => {
      const reports = parseOrThrow(Reports, parseJson(await readSigned(c, memory)).value).map(toReport);
      const findings = reports.map(({ token, url, source }) => ({ token, foundAt: url || source || "" }));
      const isOurs = await endLeaks(c, {
        memory,
        findings,
        reporter: { name: "GitHub secret scanning", isVerified: true },
      });
      const verdicts: LeakVerdicts = reports.map(({ token, type }, index) => ({
        token_raw: token,
        token_type: type,
        label: isOurs[index] ? "true_positive" : "false_positive",
      }));
      return c.json(verdicts);
    },
  },
} satisfies Operations<LeakOperation>;

/** The body, after its signature was verified. Throws `not-found`, `unauthorized` or `service-unavailable`. */
async function readSigned(c: Context<AppEnv>, { publishedKeys, signedBodies }: ReportMemory): Promise<Uint8Array> {
  const url = c.env.GITHUB_KEYS_URL;
  if (!url) throw new Problem("not-found");
  const identifier = c.req.header("Github-Public-Key-Identifier");
  const signature = c.req.header("Github-Public-Key-Signature");
  if (!identifier || !signature) throw unsigned();
  const waitUntil = (promise: Promise<void>) => c.executionCtx.waitUntil(promise);
  const source = { url, token: c.env.GITHUB_KEYS_TOKEN, kv: c.env.CHANGELOGS, waitUntil };
  const pem = await publishedKeys.find(source, identifier).catch((cause: unknown) => {
    const waitMs = cause instanceof KeysUnavailable ? cause.until - Date.now() : 0;
    const headers = { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) };
    throw new Problem("service-unavailable", { headers, cause });
  });
  if (pem === undefined) throw unsigned();
  const body = await signedBodies.read(c, (slot) =>
    readBytes(c, { expectedType: JSON_TYPE, maxBytes: MAX_BYTES, slot }),
  );
  if (!(await isSignedBy(pem, signature, body))) throw unsigned();
  return body;
}

export function createLeakRoutes(shared: LeakMemory, everyRequest: EveryRequest): Routes<AppEnv> {
  const memory = { ...shared, publishedKeys: new PublishedKeys(), signedBodies: new UnsignedBodies() };
  const pastedBodies = new UnsignedBodies();
  const routes = routeOperations<AppEnv, LeakOperation>(
    LEAK_OPERATIONS,
    (c, operation) => operation.handle(c, memory),
    everyRequest,
  );

  // The form and the two pages that answer it are static files. They say the same whatever was pasted.
  const endPasted = async (c: Context<AppEnv>) => {
    try {
      const fields = await pastedBodies.read(c, (slot) => readForm(c, { slot }));
      const findings = [{ token: fields.get("key") ?? "", foundAt: fields.get("foundAt") ?? "" }];
      await endLeaks(c, { memory, findings, reporter: { name: "somebody who found it", isVerified: false } });
      return c.redirect("/leaks/thanks", 303);
    } catch (error) {
      toProblem(error instanceof Error ? error : new Error(String(error)), c);
      return c.redirect("/leaks/again", 303);
    }
  };
  routes.post("/leaks/reports", (c) => {
    const answered = everyRequest(c, () => endPasted(c));
    c.executionCtx.waitUntil(answered);
    return answered;
  });
  return routes;
}
