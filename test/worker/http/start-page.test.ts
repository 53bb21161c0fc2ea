/** The start page: a static file, under the name and the icon of the deployment. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createIsolate } from "../../support/isolate.ts";

it("is the file as it is where no name is set, with its validator", async () => {
  const page = await createIsolate().request("/");
  expect([page.status, (await page.text()).includes("<title>Idea boards</title>")]).toEqual([200, true]);
  const etag = page.headers.get("ETag") ?? "";
  const again = await createIsolate().request("/", { headers: { "If-None-Match": etag } });
  expect([etag === "", again.status]).toEqual([false, 304]);
});

it("has the deployment's name and icon, and its policy allows the icon's host", async () => {
  const brand = { BRAND_NAME: "Shop & <friends>", BRAND_ICON_URL: "https://cdn.shop.example/i.png" };
  const isolate = createIsolate({ ...env, ...brand });
  const etag = (await createIsolate().request("/")).headers.get("ETag") ?? "";
  const page = await isolate.request("/", { headers: { "If-None-Match": etag } });
  const html = await page.text();
  expect(page.status).toBe(200);
  expect(html).toContain("<title>Shop &amp; &lt;friends&gt;</title>");
  expect(html).toContain("<span>Shop &amp; &lt;friends&gt;</span>");
  expect(html.match(/(src|href)="https:\/\/cdn\.shop\.example\/i\.png"/g)).toHaveLength(2);
  expect(html).not.toContain("icon.svg");
  expect(page.headers.has("ETag")).toBe(false);
  expect((await isolate.request("/", { method: "HEAD" })).status).toBe(200);
});

it("has the visitor's token of the board that it shows, and no validator", async () => {
  const html = '<html lang="en" data-start-page-token="ibv_0Board">';
  const page = await createIsolate({ ...env, START_PAGE_TOKEN: " ibv_0Board " }).request("/");
  expect([(await page.text()).includes(html), page.headers.has("ETag")]).toEqual([true, false]);
  expect(await (await createIsolate().request("/")).text()).not.toContain("data-start-page-token");
});

it("never shows another kind of credential: that is a wrong setting", async () => {
  const { request } = createIsolate({ ...env, START_PAGE_TOKEN: "ibt_0Board" });
  expect(await (await request("/")).text()).not.toContain("ibt_0Board");
  expect((await request("/tenant/whoami")).status).toBe(500);
});
