/** `/.well-known/security.txt` (RFC 9116): who to contact about a vulnerability in this deployment. Written for each request, so that it never expires. */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { Problem } from "../problem.ts";

export const SECURITY_PATH = "/.well-known/security.txt";

const EXPIRES_AFTER_MS = 30 * 86_400_000;
/** The RFC's forms of a contact: a web address must be `https`. */
const CONTACT = /^(mailto:[^\s@]+@[^\s@]+|tel:\+?[\d.-]+|https:\/\/\S+)$/;
const POLICY = /^https:\/\/\S+$/;

/** Throws `not-found` where the deployment names no contact, and an Error for one that is no URI. */
export function answerSecurityText(c: Context<AppEnv>): Response {
  const { SECURITY_CONTACT, SECURITY_POLICY } = c.env;
  if (!SECURITY_CONTACT) throw new Problem("not-found");
  const lines = [
    ...listOf("Contact", SECURITY_CONTACT, CONTACT),
    `Expires: ${new Date(Date.now() + EXPIRES_AFTER_MS).toISOString()}`,
    `Canonical: ${new URL(SECURITY_PATH, c.req.url).href}`,
    ...(SECURITY_POLICY ? listOf("Policy", SECURITY_POLICY, POLICY) : []),
  ];
  return c.body(`${lines.join("\n")}\n`, 200, { "Content-Type": "text/plain; charset=UTF-8" });
}

function listOf(field: "Contact" | "Policy", setting: string, form: RegExp): readonly string[] {
  const values = setting.split(",").map((value) => value.trim());
  if (values.every((value) => form.test(value))) return values.map((value) => `${field}: ${value}`);
  throw new Error(`SECURITY_${field.toUpperCase()} must be addresses such as https://example.com/security`);
}
