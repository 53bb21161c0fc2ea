/** The host that boards' public pages are on. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { pagesOriginOf, toPagesHost } from "../../../src/worker/model/pages-origin.ts";
import { SettingsReader } from "../../../src/worker/settings.ts";

const HERE = "https://api.example/account?x=1";

it.each([
  ["", "https://api.example"],
  [" ", "https://api.example"],
  ["ideas.example.com", "https://ideas.example.com"],
  [" Ideas.Example.com:8443 ", "https://ideas.example.com:8443"],
  ["ideen.müller.example", "https://ideen.xn--mller-kva.example"],
])("PAGES_HOST=%j gives links %s", async (PAGES_HOST, origin) => {
  await expect(new SettingsReader().read({ ...env, PAGES_HOST })).resolves.toBeDefined();
  expect(pagesOriginOf({ PAGES_HOST }, HERE)).toBe(origin);
});

it("keeps the request's scheme on the developer's machine", () =>
  expect(pagesOriginOf({ PAGES_HOST: "pages.localhost:8787" }, "http://localhost:8787/account")).toBe(
    "http://pages.localhost:8787",
  ));

it.each([
  "https://ideas.example.com",
  "ideas.example.com/",
  "ideas.example.com/b",
  "user@ideas.example.com",
  "*.example.com",
  "ideas.example.com, board.example.com",
  "ideas.example.com:port",
])("PAGES_HOST=%j is a wrong setting", async (PAGES_HOST) => {
  expect(toPagesHost(PAGES_HOST)).toBeUndefined();
  await expect(new SettingsReader().read({ ...env, PAGES_HOST })).rejects.toThrow(
    `PAGES_HOST (${JSON.stringify(PAGES_HOST)} is no host, such as ideas.example.com)`,
  );
});
