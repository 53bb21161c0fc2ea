/** The parameters of a path and of a query, on every operation that has them. */
import { describe, expect, it } from "vitest";
import { addressOf, bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel, listPath, PROPOSALS } from "../../support/panel.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

type Refusal = { error: string; detail: string; errors: { path: string }[]; nextCursor?: string };

const MALFORMED = ["caf%E9", "%zz", "a%", "%C3%28", "%ED%A0%80"];
const named = async (response: Response) => {
  const { error, errors } = await response.json<Refusal>();
  return [response.status, error, errors?.map(({ path }) => path)];
};
const parametersOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

describe("an escape in a path that is not UTF-8", () => {
  it("is 400 on every operation of the tenant API whose path has parameters, and changes nothing", {
    tags: "slow",
  }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const before = await dumpDatabases();
    for (const { name, operation, method, path } of operationsOf("apiKey"))
      for (const parameter of parametersOf(path)) {
        const [text = ""] = MALFORMED;
        const response = await tenant.send(method, fillPath(path, { ...ids, [parameter]: text }), bodyOf(operation));
        expect([name, ...(await named(response))]).toEqual([name, 400, "invalid-request", [parameter]]);
      }
    expect(await dumpDatabases()).toEqual(before);
  });

  it("is 400 on the panelist API and on the owner's, too", { tags: "slow" }, async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    const proposalId = await panelist.submit();
    for (const { name, operation, method, path } of operationsOf("compoundToken"))
      for (const parameter of parametersOf(path)) {
        const filled = fillPath(path, { proposalId, commentId: "C0mment00001", [parameter]: "%E9" });
        const response = await panelist.send(method, filled, bodyOf(operation));
        expect([name, ...(await named(response))]).toEqual([name, 400, "invalid-request", [parameter]]);
      }
    const owner = createOwner();
    for (const { name, method, path } of operationsOf("access"))
      for (const parameter of parametersOf(path)) {
        const response = await owner.json(method, fillPath(path, { [parameter]: "%E9" }).replace("/account/api", ""));
        expect([name, ...(await named(response))]).toEqual([name, 400, "invalid-request", [parameter]]);
      }
  });

  it("is never the id that it looks like: each id has one spelling", { tags: "slow" }, async () => {
    const { ideaBankId, accountId } = await addOneOfEverything();
    const tenant = await createTenant({ accountId });
    const put = (segment: string) =>
      tenant.send("PUT", `/tenant/ideabanks/${ideaBankId}/proposals/by-external-id/${segment}`, { title: "T" });
    for (const text of MALFORMED) expect([text, (await put(text)).status]).toEqual([text, 400]);
    for (const text of MALFORMED) {
      const { externalId } = await (await put(encodeURIComponent(text))).json<{ externalId: string }>();
      expect(externalId).toBe(text);
    }
    expect(await (await put("caf%C3%A9")).json()).toMatchObject({ externalId: "café" });
  });

  it("is not looked at before the credential", async () => {
    const tenant = await createTenant();
    const path = "/tenant/surveys/%E9";
    expect((await tenant.isolate.request(path)).status).toBe(401);
    expect((await tenant.isolate.request("/ideabank/proposals/%E9")).status).toBe(401);
    const limited = await createTenant({ limit: 1 });
    await limited.send("GET", "/tenant/whoami");
    expect((await limited.send("GET", path)).status).toBe(429);
  });

  it("is 400 in a query that is read", async () => {
    const tenant = await createTenant();
    for (const text of MALFORMED)
      expect(await named(await tenant.send("GET", `/tenant/panelists?externalId=${text}`))).toEqual([
        400,
        "invalid-request",
        ["externalId"],
      ]);
    const panelist = await (await createPanel()).panelist();
    for (const name of ["q", "%71"])
      expect(await named(await panelist.send("GET", `${PROPOSALS}?${name}=%E9`))).toEqual([
        400,
        "invalid-request",
        ["q"],
      ]);
    expect((await panelist.send("GET", `${PROPOSALS}?other=%E9&%E9=1`)).status).toBe(200);
  });
});

describe("a parameter that no operation has", () => {
  it("is refused by its name on the tenant API, where it would be ignored otherwise", { tags: "slow" }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const before = await dumpDatabases();
    for (const { name, operation, method, path } of operationsOf("apiKey")) {
      if (name === "whoami") continue;
      const address = addressOf(path, ids);
      const response = await tenant.send(
        method,
        `${address}${address.includes("?") ? "&" : "?"}_=1`,
        bodyOf(operation, ids),
      );
      expect([name, ...(await named(response))]).toEqual([name, 400, "invalid-request", ["_"]]);
    }
    expect(await dumpDatabases()).toEqual(before);
    expect((await tenant.send("GET", "/tenant/whoami?_=1")).status).toBe(200);
  });

  it("does not say whether another tenant's resource exists", async () => {
    const foreign = await addOneOfEverything();
    const tenant = await createTenant();
    for (const path of ["/tenant/surveys/{surveyId}", "/tenant/panelists/{panelistId}"])
      expect((await tenant.send("GET", `${fillPath(path, foreign)}?_=1`)).status).toBe(403);
  });

  it("is refused in the owner's JSON", async () => {
    const owner = createOwner();
    for (const path of ["/keys", "/activity", "/webhooks", "/members"])
      expect([path, ...(await named(await owner.json("GET", `${path}?_=1`)))]).toEqual([
        path,
        400,
        "invalid-request",
        ["_"],
      ]);
  });

  it("is ignored on the panelist API, and a list goes on without it", { tags: "slow" }, async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    const ids = [await panelist.submit("One"), await panelist.submit("Two")];
    for (const { name, operation, method, path } of operationsOf("compoundToken")) {
      if (method === "DELETE") continue;
      const filled = fillPath(path, { proposalId: ids[0] ?? "", commentId: "C0mment00001" });
      const send = (query: string) => panelist.send(method, `${filled}?title=bus${query}`, bodyOf(operation));
      // Only a text of its own is posted twice.
      if (name === "addComment") continue;
      expect([name, (await send("&_=1&fbclid=2&_=3")).status]).toEqual([name, (await send("")).status]);
    }
    const { items, nextCursor } = await panelist.read<{ items: { id: string }[]; nextCursor: string }>(
      `${PROPOSALS}?limit=1&_=1`,
    );
    const second = await panelist.read<{ items: { id: string }[] }>(
      listPath({ limit: "1", _: "2", cursor: nextCursor }),
    );
    expect(second.items[0]?.id).not.toBe(items[0]?.id);
    expect((await panelist.send("GET", listPath({ sort: "top", cursor: nextCursor }))).status).toBe(400);
  });
});
