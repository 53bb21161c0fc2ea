/** A token as a parameter of `Accept`: a browser sends a GET with it to another origin without asking first. */
import { describe, expect, it } from "vitest";
import { createIsolate } from "../../support/isolate.ts";
import { createPanel } from "../../support/panel.ts";
import { addApiKey } from "../../support/world.ts";

const PATHS = [
  "/ideabank",
  "/ideabank/proposals?sort=top",
  "/ideabank/proposals/similar?title=Night",
  "/ideabank/tags",
  "/public/ideabank/changelog",
];
const inAccept = (token: string) => ({ Accept: `application/json;token=${token}` });

describe("a token in `Accept`", () => {
  it("is answered as the same in `Authorization`, and caches are told that the answer differs by it", {
    tags: "slow",
  }, async () => {
    const panel = await createPanel();
    const { token } = panel.bank;
    const id = await panel.propose({ title: "Night buses", status: "implemented" });
    const isolate = createIsolate();
    for (const path of [...PATHS, `/ideabank/proposals/${id}`, `/ideabank/proposals/${id}/comments`]) {
      const [plain, sent] = [
        await isolate.request(path, { headers: { Authorization: token } }),
        await isolate.request(path, { headers: inAccept(token) }),
      ];
      expect([path, sent.status, await sent.text()]).toEqual([path, 200, await plain.text()]);
      expect([plain.headers.get("Vary"), sent.headers.get("Vary")]).toEqual([
        "Authorization, Origin",
        "Authorization, Origin, Accept",
      ]);
      expect(sent.headers.get("ETag")).toBe(plain.headers.get("ETag"));
    }
  });

  it("is one only where there is no `Authorization`, and as the last parameter of `Accept`", async () => {
    const { bank } = await createPanel();
    const isolate = createIsolate();
    const status = async (headers: Record<string, string>) =>
      (await isolate.request("/ideabank/tags", { headers })).status;
    expect(await status(inAccept(bank.token))).toBe(200);
    for (const headers of [
      inAccept(bank.token.slice(0, -1) + (bank.token.endsWith("x") ? "y" : "x")),
      inAccept((await addApiKey()).text),
      { ...inAccept(bank.token), Authorization: "" },
      { ...inAccept(bank.token), Authorization: "letmein" },
      { Accept: `application/json;token=${bank.token}, text/html` },
      { Accept: bank.token },
    ])
      expect([headers, await status(headers)]).toEqual([headers, 401]);
  });

  it("opens nothing else: an API key has its own header", async () => {
    const { text } = await addApiKey();
    const answer = await createIsolate().request("/tenant/whoami", { headers: inAccept(text) });
    expect(answer.status).toBe(401);
  });
});
