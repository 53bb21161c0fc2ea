/**
 * `npm run suspend -- <account> --url <deployment>`: suspends an account, or with `--resume` opens it again. `<account>` is the
 * owner's e-mail address or the account's identifier. Sends the secret in the environment variable OPERATOR_SECRET.
 */
import { parseArgs } from "node:util";

const USAGE = "npm run suspend -- owner@example.com --url https://api.example.com [--resume]";
/** Longer than the Worker waits for a gate. */
const DEADLINE_MS = 30_000;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function readArguments() {
  try {
    const options = { url: { type: "string" }, resume: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    const [account, ...more] = positionals;
    if (account !== undefined && more.length === 0 && values.url !== undefined)
      return { account, url: new URL("/operator/account-status", values.url), resume: values.resume === true };
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : error}\nUsage: ${USAGE}`);
  }
  return fail(`Usage: ${USAGE}`);
}

const { account, url, resume } = readArguments();
const secret = process.env.OPERATOR_SECRET ?? fail("Set OPERATOR_SECRET to the deployment's operator secret.");
const isLocal = /^(?:localhost|127\.|\[::1\])/.test(url.hostname);
if (url.protocol !== "https:" && !isLocal) fail(`${url.origin} is not https: the secret would be readable on the way.`);

const response = await fetch(url, {
  method: "PUT",
  headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
  body: JSON.stringify({ account, status: resume ? "active" : "suspended" }),
  redirect: "error",
  signal: AbortSignal.timeout(DEADLINE_MS),
}).catch((error: Error) => fail(`${url.origin} does not answer: ${error.message}. Nothing is certain; run it again.`));

type Answer = { accountId?: string; status?: string | number; apiKeys?: number; detail?: string };
const answer = (await response.json().catch(() => ({}))) as Answer;
if (!response.ok) {
  const hint =
    response.status === 404 && !String(answer.detail).includes("account") ? " Is OPERATOR_SECRET set there?" : "";
  fail(`${response.status}: ${answer.detail ?? "no problem document"}${hint}`);
}
console.log(
  `${account} (account ${answer.accountId}) is ${answer.status}. ${answer.apiKeys} API keys: their gates have confirmed it.`,
);
console.log(
  resume
    ? "Panelists see it within the freshness of their answers."
    : `Panelists see it within the freshness of their answers. To undo it: npm run suspend -- ${account} --url ${url.origin} --resume`,
);
