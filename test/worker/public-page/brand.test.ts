/** The deployment's name, icon and color on boards' pages, and on those of signing in. */
import { describe, expect, it } from "vitest";
import { createIsolate } from "../../support/isolate.ts";
import { createSignInScene, newEmail, withMail } from "../../support/page-visitor.ts";

const tag = (page: string, name: string) => new RegExp(`<meta property="${name}" content="([^"]*)"`).exec(page)?.[1];

const branded = (icon: string) => ({
  ...withMail,
  BRAND_NAME: "Nightline <Rail>",
  BRAND_ICON_URL: icon,
  BRAND_COLOR: "#0b6b3a",
});
const NAME = "Nightline &lt;Rail&gt;";

async function createScene(icon: string) {
  const { home, visitor } = await createSignInScene();
  const bindings = branded(icon);
  return { home, visitor: visitor(undefined, createIsolate(bindings)) };
}

describe.each([
  ["a drawing of this host", "/assets/rail.svg", "'self';", "https://api.example/assets/preview.png", "image/png"],
  [
    "a picture elsewhere",
    "https://cdn.rail.example/i/logo.png",
    "'self' https://cdn.rail.example;",
    "https://cdn.rail.example/i/logo.png",
    "image/png",
  ],
])("the icon is %s", (_, icon, sources, picture, type) => {
  it("a board's page has the name, the icon and the color, previews too, and may load that icon alone", async () => {
    const { home, visitor } = await createScene(icon);
    const answer = await visitor.open(`${home}/rider-ideas`);
    const { page } = visitor;
    expect(page).toContain(`<title>Rider ideas · ${NAME}</title>`);
    expect(page).toContain(`<link rel="icon" href="${icon}"/>`);
    expect(page).toMatch(new RegExp(`<img[^>]* src="${icon}"`));
    expect(page).toContain("--idea-bank-accent:light-dark(#0b6b3a,");
    expect([tag(page, "og:site_name"), tag(page, "og:image:alt")]).toEqual([NAME, NAME]);
    // A drawing is none that previews can show.
    expect([tag(page, "og:image"), tag(page, "og:image:type")]).toEqual([picture, type]);
    expect(tag(page, "og:image:width")).toBe(icon.endsWith(".svg") ? "1200" : undefined);
    expect(answer.headers.get("Content-Security-Policy")).toContain(`img-src ${sources}`);
    expect(page).not.toMatch(/Idea boards|\/assets\/icon\.svg/);
  });

  it("so do the pages of signing in", async () => {
    const { visitor } = await createScene(icon);
    for (const path of ["/sign-in", "/sign-in/code"]) {
      const answer = await visitor.open(path);
      const { page } = visitor;
      expect(page).toMatch(new RegExp(`<title>[^<]+ · ${NAME}</title>`));
      for (const place of [
        `<link rel="icon" href="${icon}"/>`,
        `<img src="${icon}"`,
        `<span dir="auto">${NAME}</span>`,
      ])
        expect(page).toContain(place);
      expect(page).toContain("--idea-bank-accent:light-dark(#0b6b3a,");
      expect(answer.headers.get("Content-Security-Policy")).toContain(`img-src ${sources}`);
      if (path === "/sign-in") await visitor.ask(newEmail());
    }
  });
});
