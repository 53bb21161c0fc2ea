/** The deployment's name, icon and color: what is refused, and what owners see. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { SettingsReader } from "../../../src/worker/settings.ts";
import { createOwner } from "../../support/owner.ts";

const brandOf = async (variables: Record<string, string>) =>
  (await new SettingsReader().read({ ...env, ...variables })).brand;

const OURS = { name: "Idea boards", iconUrl: "/assets/icon.svg", color: null };

describe("the settings", () => {
  it("may be missing or empty", async () => {
    expect(await brandOf({})).toEqual(OURS);
    expect(await brandOf({ BRAND_NAME: " ", BRAND_ICON_URL: "", BRAND_COLOR: "" })).toEqual(OURS);
  });

  it.each([
    // White on #767676 has 4.54 : 1, on #777777 4.48 : 1.
    ["BRAND_COLOR", "#777777", "BRAND_COLOR (#777777 has a contrast of 4.48 : 1 with white, and needs 4.5 : 1)"],
    ["BRAND_COLOR", "red", 'BRAND_COLOR ("red" is not a color like #2450c8)'],
    ["BRAND_COLOR", "#12345", 'BRAND_COLOR ("#12345" is not a color like #2450c8)'],
    ["BRAND_ICON_URL", "http://shop.example/i.png", "BRAND_ICON_URL"],
    ["BRAND_ICON_URL", "https://shop.example/i.png; script-src *", "BRAND_ICON_URL"],
    ["BRAND_NAME", "x".repeat(61), "BRAND_NAME (has at most 60 characters)"],
  ])("%s=%s is a wrong setting", async (name, value, message) => {
    await expect(brandOf({ [name]: value })).rejects.toThrow(message);
  });

  it("takes the palest gray that white can be read on", async () => {
    expect(await brandOf({ BRAND_COLOR: "#767676" })).toMatchObject({ color: "#767676" });
  });
});

it("a wrong setting is a page that says to try again, with our own name", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  const page = await createOwner(undefined, { ...env, BRAND_COLOR: "#777777" }).page("");
  const html = await page.text();
  expect([page.status, html.includes("Something went wrong here"), html.includes("Idea boards")]).toEqual([
    500,
    true,
    true,
  ]);
});

it("an owner's page has the name, the icon and the color, and its policy allows the icon's host alone", async () => {
  const brand = {
    BRAND_NAME: "Shop & <friends>",
    BRAND_ICON_URL: "https://cdn.shop.example/i.png",
    BRAND_COLOR: "#0b6b3a",
  };
  const page = await createOwner(undefined, { ...env, ...brand }).page("");
  const html = await page.text();
  expect(html).toContain("<title>Home · Shop &amp; &lt;friends&gt;</title>");
  expect(html).toContain('<img src="https://cdn.shop.example/i.png" alt=""');
  expect(html).toContain(":root{--brand:#0b6b3a;");
  expect(page.headers.get("Content-Security-Policy")).toContain("img-src 'self' https://cdn.shop.example;");
});
