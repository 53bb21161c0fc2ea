/** Which URLs a webhook can have: the Worker calls what an owner has written. */
import { describe, expect, it } from "vitest";
import { checkWebhookUrl } from "../../../src/worker/model/webhook-url.ts";

describe("a webhook's URL", () => {
  const own = "https://api.example/account/api/webhooks";
  it.each([
    ["https://crm.example.com/hooks?a=1", "https://crm.example.com/hooks?a=1"],
    [" https://CRM.example.com:443/x ", "https://crm.example.com/x"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://1password.com/", "https://1password.com/"],
  ])("can be %s", (url, called) => expect(checkWebhookUrl(url, own)).toBe(called));

  it.each([
    "nonsense",
    "http://crm.example.com/",
    "ftp://crm.example.com/",
    "https://crm.example.com:8443/",
    "https://crm.example.com:80/",
    "https://user@crm.example.com/",
    "https://:secret@crm.example.com/",
    "https://crm.example.com/#part",
    "https://crm.example.com/#",
    "https://127.0.0.1/",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://0177.0.0.1/",
    "https://10.0.0.1./",
    "https://[::1]/",
    "https://[::ffff:169.254.169.254]/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://a.localhost/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://router.home.arpa/",
    "https://intranet/",
    "https://api.example/",
    "https://API.example./",
    `https://crm.example.com/${"x".repeat(1_000)}`,
    // Of a developer's machine: only there.
    "http://localhost:9999/",
    "http://127.0.0.1:9999/",
  ])("cannot be %s", (url) => expect(checkWebhookUrl(url, own)).toBeUndefined());

  it("cannot be this host, however its name ends", () => {
    for (const [url, host] of [
      ["https://api.example/x", "https://api.example./account"],
      ["https://api.example./x", "https://api.example/account"],
    ] as const)
      expect(checkWebhookUrl(url, host)).toBeUndefined();
  });

  it.each([
    // Under the parent domain of the API's host.
    ["https://example.com/", "https://api.example.com/account", ""],
    ["https://crm.example.com/", "https://api.example.com/account", ""],
    ["https://a.b.EXAMPLE.com./", "https://api.example.com./account", ""],
    ["https://other.me.workers.dev/", "https://edge-access-api.me.workers.dev/account", ""],
    // In a zone that the setting names.
    ["https://shop.example/", "https://api.example.com/account", "shop.example"],
    ["https://admin.Shop.example/", "https://api.example.com/account", "other.example, .SHOP.example."],
    ["https://admin.shop.example/", "https://api.example.com/account", "*.shop.example"],
    ["https://shop.example/", "https://api.example.com/account", "https://Shop.example/"],
    ["https://shop.example/", "https://api.example.com/account", "other.example;shop.example"],
    ["https://shop.example/", "https://api.example.com/account", "other.example shop.example\nmore.example"],
    ["https://shop.example/", "https://api.example.com/account", `"shop.example", 'other.example'`],
    ["https://www.xn--bcher-kva.example/", "https://api.example.com/account", "bücher.example"],
    ["https://shop.example/", "https://api.example.com/account", "http://*.shop.example:8443/path?x=1"],
    ["https://admin.example.com/", "https://ideas.eu.example.com/account", "example.com"],
    // Below a host that is a domain of its own.
    ["https://admin.api.example/", "https://api.example/account", ""],
  ])("cannot be %s, in a zone of %s and %j", (url, here, zones) =>
    expect(checkWebhookUrl(url, here, zones)).toBeUndefined(),
  );

  it.each([
    ["https://notexample.com/", "https://api.example.com/account", "shop.example"],
    ["https://example.com.evil.example/", "https://api.example.com/account", "shop.example"],
    ["https://you.workers.dev/", "https://edge-access-api.me.workers.dev/account", ""],
    ["https://other.example/", "https://api.example/account", ", ,"],
  ])("can be %s, outside the zones of %s and %j", (url, here, zones) =>
    expect(checkWebhookUrl(url, here, zones)).toBe(url),
  );

  it.each(["example", "10.0.0.1", "[::1]", "me@example.com", "com", "a..example", "shop.example/ but not this"])(
    "cannot be checked against %j, which is no list of domains",
    (zones) =>
      expect(() => checkWebhookUrl("https://other.example.net/", "https://api.example/account", zones)).toThrow(
        "OWN_ZONES",
      ),
  );

  it("can be on a developer's machine, where Account Settings is, too; not Account Settings itself", () => {
    const here = "http://localhost:8787/account/webhooks";
    expect(checkWebhookUrl("http://127.0.0.1:9999/hook", here)).toBe("http://127.0.0.1:9999/hook");
    expect(checkWebhookUrl("http://localhost:8787/", here)).toBeUndefined();
    expect(checkWebhookUrl("http://10.0.0.1:9999/", here)).toBeUndefined();
  });
});
