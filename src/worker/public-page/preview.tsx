/** A board's page as a stranger will see it, for those who switch it on: without scripts, in a frame of the desk. */
import type { Context } from "hono";
import type { AppEnv } from "../http/app-env.ts";
import { capabilitiesOf, forVisitor } from "../model/capabilities.ts";
import { changelogPage } from "./changelog-page.tsx";
import { frameOf } from "./frame.ts";
import { ideasPage } from "./ideas-page.tsx";
import { type PageMemory, readBoard } from "./open-page.ts";
import { respondNothing } from "./respond.tsx";
import { pageStylesOf, styleSourceOf } from "./styles.ts";

/** The caller has checked whose board it is. A draft is shown as it will be when it is open. */
export async function previewOf(c: Context<AppEnv>, memory: PageMemory, ideaBankId: string): Promise<Response> {
  const board = await readBoard(c, memory, ideaBankId, () => true);
  if (board === undefined) return respondNothing(c);
  const ideaBank = { ...board.ideaBank, status: "OPEN" as const, publicPage: true };
  const capabilities = capabilitiesOf(ideaBank);
  const page = { ...board, ideaBank, capabilities, visitor: forVisitor(capabilities) };
  const frame = { ...frameOf(c, page, false), isPreview: true };
  const [first] = frame.tabs;
  const shown =
    first === "ideas"
      ? await ideasPage(c, memory, page, frame)
      : page.changelog === undefined
        ? await respondNothing(c)
        : await changelogPage(c, memory, page, frame);
  const { origin } = new URL(c.req.url);
  const icon = URL.canParse(frame.brand.iconUrl) ? ` ${new URL(frame.brand.iconUrl).origin}` : "";
  shown.headers.set("Cache-Control", "no-store");
  shown.headers.set("X-Frame-Options", "SAMEORIGIN");
  shown.headers.set(
    "Content-Security-Policy",
    `default-src 'none'; style-src ${await styleSourceOf(pageStylesOf(frame.brand, first === "ideas" ? "board" : "changelog"))}; img-src ${origin}${icon}; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox",
  );
  return shown;
}
