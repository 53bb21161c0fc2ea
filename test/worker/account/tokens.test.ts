/** "Try a token": what an owner reads of a pasted token. */
import { describe, expect, it } from "vitest";
import { createDesk } from "../../support/desk.ts";
import { createOwner } from "../../support/owner.ts";
import { now, signJwt } from "../../support/sign-jwt.ts";
import { dumpDatabases } from "../../support/tenant.ts";

async function createScene() {
  const desk = await createDesk();
  const { panel, owner } = desk;
  const path = `/tenant/ideabanks/${panel.bank.id}`;
  const { kid, secret } = await (await panel.tenant.send("GET", `${path}/signing-secret`)).json<{
    kid: string;
    secret: string;
  }>();
  const issue = async (body: object) =>
    (await (await panel.tenant.send("POST", `${path}/tokens`, body)).json<{ token: string }>()).token;
  const sign = (claims: object = {}) =>
    signJwt(
      { alg: "HS256", kid },
      { iss: panel.bank.id, sub: "customer-42 <b>", iat: now(), exp: now() + 60, ...claims },
      secret,
    );
  const paste = async (token: string, by = owner) => {
    const answer = await by.submit("/tokens", { token });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Cache-Control")).toBe("no-store, no-transform");
    const html = await answer.text();
    if (token !== "") expect(html).not.toContain(token);
    return html;
  };
  return { ...desk, path, issue, sign, paste };
}

describe("a pasted token", { tags: "slow" }, () => {
  it("of each kind is good, with its idea bank and who it is for; nothing is written", async () => {
    const { paste, issue, sign, panel } = await createScene();
    const [visitor, ours, theirs] = [
      await issue({ visitor: true }),
      await issue({ externalId: "customer-7" }),
      await sign(),
    ];
    await paste("");
    const before = await dumpDatabases();
    for (const [token, said] of [
      [visitor, "Visitors (read only)"],
      [ours, "<code>customer-7</code>"],
      [theirs, "<code>customer-42 &lt;b&gt;</code>"],
      [`  Bearer ${theirs}\n`, "<code>customer-42 &lt;b&gt;</code>"],
      [`authorization: ${ours}`, "<code>customer-7</code>"],
      [`Authorization: Bearer ${visitor}`, "Visitors (read only)"],
    ] as const) {
      const html = await paste(token);
      for (const part of ["This token works.", said, `/account/idea-banks/${panel.bank.id}`])
        expect(html).toContain(part);
      expect(html).not.toContain("not open");
    }
    expect(await dumpDatabases()).toEqual(before);
    await panel.manage("PATCH", "", { status: "CLOSED" });
    expect(await paste(ours)).toContain("Its board isn’t open yet");
  });

  it("that is refused says why", async () => {
    const { paste, issue, sign, panel } = await createScene();
    const signed = await sign();
    const ended = await issue({ visitor: true });
    await panel.tenant.send("DELETE", `/tenant/ideabanks/${panel.bank.id}/visitor-tokens`);
    for (const [token, said] of [
      [await sign({ iat: now() - 61, exp: now() - 1 }), "This token has expired."],
      [ended, "This token was revoked."],
      [`${signed.slice(0, -1)}_`, "Its signature is wrong."],
      [`ibk_${"0".repeat(47)}`, "This is an API key, not a token."],
      [await sign({ iss: undefined }), "A claim is missing or wrong."],
      [await sign({ sub: 42 }), "<code>sub</code> must be a string."],
      [await sign({ nbf: now() + 60 }), "<code>nbf</code> is in the future."],
      ["", "This token isn’t for one of your boards."],
      ["<script>", "This token isn’t for one of your boards."],
      ["x".repeat(60_000), "This token isn’t for one of your boards."],
    ] as const)
      expect(await paste(token)).toContain(said);
  });

  it("of another account's idea bank is none: not even why", async () => {
    const [mine, theirs] = [await createScene(), await createScene()];
    for (const token of [
      await theirs.sign(),
      await theirs.issue({ visitor: true }),
      await theirs.sign({ exp: now() - 1 }),
    ])
      expect(await mine.paste(token)).toContain("This token isn’t for one of your boards.");
    expect(await mine.paste(await mine.sign(), createOwner())).toContain("This token isn’t for one of your boards.");
  });
});

it("the page is found from the idea bank's lines, takes nothing from another site, and no token in its address", async () => {
  const { owner, page, sign, bank } = await createScene();
  expect(await page(`${bank}/embed`)).toContain('href="/account/tokens"');
  const html = await page("/tokens");
  expect(html).toContain('aria-current="page">Try a token<');
  expect(html).toContain('<form method="post" action="/account/tokens" class="create">');
  const token = await sign();
  expect(
    (await owner.submit("/tokens", { token }, { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" }))
      .status,
  ).toBe(403);
  expect(await page(`/tokens?token=${token}`)).not.toContain("This token works.");
  expect((await owner.isolate.request("/account/tokens", { method: "PUT" })).status).toBe(405);
});
