/** `GET /.well-known/security.txt` (RFC 9116): whom to tell of a vulnerability of this deployment. */
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { createIsolate } from "../../support/isolate.ts";

const PATH = "/.well-known/security.txt";
const named = (SECURITY_CONTACT: string, SECURITY_POLICY = "") =>
  createIsolate({ ...env, SECURITY_CONTACT, SECURITY_POLICY });

it("names the contacts in order, its own address and the policy, and expires in the future", async () => {
  freeze(1_900_000_000_000);
  const isolate = named("mailto:security@example.com, https://example.com/report", "https://example.com/policy");
  const response = await isolate.request(PATH);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe("text/plain; charset=UTF-8");
  expect(await response.text()).toBe(
    [
      "Contact: mailto:security@example.com",
      "Contact: https://example.com/report",
      "Expires: 2030-04-16T17:46:40.000Z",
      "Canonical: https://api.example/.well-known/security.txt",
      "Policy: https://example.com/policy",
      "",
    ].join("\n"),
  );
});

it("leaves out a policy that there is none of", async () => {
  expect(await (await named("tel:+1-201-555-0123").request(PATH)).text()).not.toContain("Policy");
});

it("is not there without a contact", async () => {
  const response = await createIsolate().request(PATH);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: "not-found" });
});

it.each([
  ["SECURITY_CONTACT", "security@example.com", ""],
  ["SECURITY_CONTACT", "http://example.com/report", ""],
  ["SECURITY_CONTACT", "mailto:security@example.com\nContact: mailto:other@example.com", ""],
  ["SECURITY_POLICY", "mailto:security@example.com", "example.com/policy"],
])("a wrong %s is a failure that names the setting: %j %j", async (name, contact, policy) => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {});
  expect((await named(contact, policy).request(PATH)).status).toBe(500);
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ cause: expect.stringContaining(name) }));
  expect((await named(contact, policy).request("/tenant/whoami")).status).toBe(401);
});
