/**
 * `npm run suspend -- <account> --url <deployment>`: suspends an account, or with `--resume` opens it again. `<account>` is the
 * owner's e-mail address or the account's identifier. Sends the secret in the environment variable OPERATOR_SECRET.
 */
import { readArguments } from "./arguments.ts";
import { Failure, runCommand } from "./failure.ts";

const USAGE = "npm run suspend -- owner@example.com --url https://api.example.com [--resume]";
/** Longer than the Worker waits for a gate. */
const DEADLINE_MS = 30_000;

type Answer = { accountId?: string; status?: string | number; apiKeys?: number; detail?: string };

await runCommand(async () => {
  const { account, origin, resume } = readOptions();
  const secret = process.env.OPERATOR_SECRET;
  if (!secret) throw new Failure("Set OPERATOR_SECRET to the deployment's operator secret.");

  const response = await fetch(new URL("/operator/account-status", origin), {
    method: "PUT",
    headers: { Authorization: `Bearer ${secret}`, "Content-Type": "application/json" },
    body: JSON.stringify({ account, status: resume ? "active" : "suspended" }),
    redirect: "error",
    signal: AbortSignal.timeout(DEADLINE_MS),
  }).catch((error: Error) => {
    const cause = error.cause instanceof Error ? error.cause.message || error.message : error.message;
    throw new Failure(`${origin} does not answer: ${cause}. Nothing is certain; run it again.`);
  });
  const answer = (await response.json().catch(() => ({}))) as Answer;
  if (!response.ok) {
    const hint =
      response.status === 404 && !String(answer.detail).includes("account") ? " Is OPERATOR_SECRET set there?" : "";
    throw new Failure(`${response.status}: ${answer.detail ?? "no problem document"}${hint}`);
  }
  const keys = answer.apiKeys === 1 ? "Its API key's gate has" : `The gates of its ${answer.apiKeys} API keys have`;
  console.log(`${account} (account ${answer.accountId}) is ${answer.status}. ${keys} confirmed it.`);
  console.log(
    resume
      ? "Panelists see it within the freshness of their answers."
      : `Panelists see it within the freshness of their answers. To undo it: npm run suspend -- ${account} --url ${origin} --resume`,
  );
});

function readOptions() {
  const { values, positionals } = readArguments(USAGE, {
    allowPositionals: true,
    options: { url: { type: "string" }, resume: { type: "boolean", default: false } },
  });
  const [account, ...more] = positionals;
  if (account === undefined || more.length > 0 || values.url === undefined) throw new Failure(`Usage: ${USAGE}`);
  if (!URL.canParse(values.url)) throw new Failure(`--url ${values.url}: an address such as https://api.example.com.`);
  const { origin, protocol, hostname } = new URL(values.url);
  const isLocal = /^(?:localhost|127\.|\[::1\])/.test(hostname);
  if (protocol !== "https:" && !isLocal)
    throw new Failure(`${values.url} is not https: the secret would be readable on the way.`);
  return { account, origin, resume: values.resume };
}
