/** Proposals found by the words of their titles and texts: by panelists, by the tenant, and while a title is typed. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { textTerms, titleTerms, titleWords } from "../../../src/worker/model/words.ts";
import { bindingOf, databaseOf } from "../../support/databases.ts";
import { meterDatabase } from "../../support/intercept-binding.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { withoutLimits } from "../../support/limits.ts";
import { numbers } from "../../support/many-rows.ts";
import { createPanel, listPath, type Panel, type Panelist, PROPOSALS, sendWith } from "../../support/panel.ts";
import { createTenant } from "../../support/tenant.ts";

type Page = { items: { id: string; title: string }[]; nextCursor?: string };

const titles = async (panelist: Panelist, parameters: Record<string, string>) =>
  (await panelist.read<Page>(listPath(parameters))).items.map(({ title }) => title);
const found = (panelist: Panelist, q: string) => titles(panelist, { q });
const similar = async (panelist: Panelist, title: string) =>
  (await panelist.read<Page>(`${PROPOSALS}/similar?${new URLSearchParams({ title })}`)).items.map((item) => item.title);
const foundByTenant = async ({ manage }: Panel, q: string, filter = "") =>
  (await (await manage("GET", `/proposals?${new URLSearchParams({ q })}${filter}`)).json<Page>()).items.map(
    ({ title }) => title,
  );
/** What the index says and what the proposals say. */
async function storedWords({ bank }: Panel) {
  const { results } = await databaseOf(bank.id)
    .prepare("SELECT proposal_id, listed, word FROM proposal_words WHERE idea_bank_id = ?1 ORDER BY 1, 2, 3")
    .bind(bank.id)
    .all<{ proposal_id: string; listed: number; word: string }>();
  return results;
}

describe("q", { tags: "slow" }, () => {
  it("finds public proposals by a word of the title, whatever its case, its accents and its ending; the best first", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (const title of ["Night buses", "Buses", "Café at the station", "More trains at night"])
      await panelist.submit(title);
    expect(await found(panelist, "NIGHT")).toEqual(["More trains at night", "Night buses"]);
    expect(await found(panelist, "night buses")).toEqual(["Night buses", "More trains at night", "Buses"]);
    expect(await found(panelist, "cafe")).toEqual(["Café at the station"]);
    expect(await found(panelist, "train")).toEqual(["More trains at night"]);
    expect(await found(panelist, "stat")).toEqual(["Café at the station"]);
    expect(await found(panelist, "ferry")).toEqual([]);
    expect(await found(panelist, "?!")).toEqual([]);
  });

  it("weighs a word more the fewer titles have it, and orders what fits alike by activity", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    await panelist.submit("Quiet ferry");
    for (let each = 0; each < 5; each++) await panelist.submit(`Quiet tram ${each}`);
    expect((await found(panelist, "tram ferry"))[0]).toBe("Quiet ferry");
    expect(await found(panelist, "tram")).toEqual([4, 3, 2, 1, 0].map((each) => `Quiet tram ${each}`));
  });

  it("is one page of at most 20, picked from by status; a cursor of another list is refused", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (let each = 0; each < 36; each++)
      await panel.propose({ title: `Tram ${each}`, status: each % 2 ? "planned" : "submitted" });
    const page = await panelist.read<Page>(listPath({ q: "tram", limit: "100" }));
    expect(page.items).toHaveLength(20);
    expect(page).not.toHaveProperty("nextCursor");
    expect(await titles(panelist, { q: "tram", limit: "3" })).toHaveLength(3);
    expect(await titles(panelist, { q: "tram", status: "planned", limit: "100" })).toHaveLength(18);
    const { nextCursor = "" } = await panelist.read<Page>(listPath({ limit: "1" }));
    expect((await panelist.send("GET", listPath({ q: "tram", cursor: nextCursor }))).status).toBe(400);
    for (const q of ["", " ", "x".repeat(201)]) expect((await panelist.send("GET", listPath({ q }))).status).toBe(400);
  });

  it("finds words of texts, too, after those of titles", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    await panelist.submit("A boat", "Small ferries, and ferry tickets");
    await panelist.submit("Ferry to the island");
    await panelist.submit("Landing stage", "For ferries");
    await panelist.submit("Dogs", "Leash");
    expect(await found(panelist, "ferry")).toEqual(["Ferry to the island", "A boat", "Landing stage"]);
    expect(await found(panelist, "ferries")).toEqual(["Landing stage", "A boat"]);
    expect(await found(panelist, "ferry tickets")).toEqual(["Ferry to the island", "A boat"]);
    expect(await foundByTenant(panel, "ferry")).toEqual(["Ferry to the island", "A boat", "Landing stage"]);
  });

  it("forgives one mistake where nobody has written the word like this, and ranks it below words that fit", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (const title of ["Export to a file", "Report problems", "Exports of wood"]) await panelist.submit(title);
    expect(await found(panelist, "exprot")).toEqual(["Export to a file"]);
    expect(await found(panelist, "exports")).toEqual(["Exports of wood", "Export to a file"]);
    expect(await found(panelist, "expart file")).toEqual(["Export to a file"]);
    expect(await foundByTenant(panel, "reprot")).toEqual(["Report problems"]);
    expect(await similar(panelist, "Exprot a fiel")).toEqual(["Export to a file"]);
    await panelist.submit("Exprot");
    expect(await found(panelist, "exprot")).toEqual(["Exprot"]);
  });

  it("finds merged, hidden and pending ones only for who may see them", async () => {
    const panel = await createPanel();
    const [author, other] = [await panel.panelist(), await panel.panelist()];
    await panel.manage("PATCH", "", { approvalRequired: true });
    const pending = await author.submit("Pending ferry", "With a secret lighthouse");
    await panel.propose({ title: "Hidden ferry", description: "With a secret lighthouse", visibility: "hidden" });
    const [target, source] = [
      await panel.propose({ title: "Public ferry" }),
      await panel.propose({ title: "Merged ferry" }),
    ];
    await panel.manage("POST", `/proposals/${source}/merge`, { into: target });
    for (const panelist of [author, other]) {
      expect(await found(panelist, "ferry")).toEqual(["Public ferry"]);
      expect(await similar(panelist, "A ferry")).toEqual(["Public ferry"]);
      for (const q of ["lighthouse", "pendign", "secret", "lighthous"]) expect(await found(panelist, q), q).toEqual([]);
      expect(await similar(panelist, "Secret lighthouse")).toEqual([]);
    }
    expect(await titles(author, { q: "lighthouse", mine: "submitted" })).toEqual(["Pending ferry"]);
    expect((await foundByTenant(panel, "lighthouse")).toSorted()).toEqual(["Hidden ferry", "Pending ferry"]);
    expect(await titles(author, { q: "ferry", mine: "submitted" })).toEqual(["Pending ferry"]);
    expect(await titles(author, { q: "tram", mine: "submitted" })).toEqual([]);
    expect(await titles(other, { q: "ferry", mine: "submitted" })).toEqual([]);
    expect((await foundByTenant(panel, "ferry")).toSorted()).toEqual(["Hidden ferry", "Pending ferry", "Public ferry"]);
    expect(await foundByTenant(panel, "ferry", "&visibility=pending")).toEqual(["Pending ferry"]);
    expect(await foundByTenant(panel, "ferry", "&visibility=public&status=submitted")).toEqual(["Public ferry"]);
    await panel.manage("PATCH", `/proposals/${pending}`, { visibility: "public" });
    expect((await found(other, "ferry")).toSorted()).toEqual(["Pending ferry", "Public ferry"]);
    await panel.manage("PATCH", `/proposals/${pending}`, { visibility: "hidden" });
    expect(await found(other, "ferry")).toEqual(["Public ferry"]);
    expect(await titles(author, { q: "ferry", mine: "submitted" })).toEqual([]);
  });

  it("answers the same whatever those have in their texts that the panelist may not see", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (let each = 0; each < 12; each++) await panelist.submit(`Ferry ${each}`, "Boats");
    await panelist.submit("Export");
    const answers = () =>
      Promise.all(["exprot", "ferry lighthouse", "boats ferry zebra", "exports"].map((q) => found(panelist, q)));
    const before = await answers();
    const words = "Exprot lighthouse zebra exports";
    for (const visibility of ["hidden", "pending"])
      await panel.propose({ title: "Something else", description: words, visibility });
    expect(await answers()).toEqual(before);
    await panel.propose({ title: "Something else", description: words });
    expect(await answers()).not.toEqual(before);
  });

  it("answers the same however many have the words in texts that the panelist may not see", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    await fill(panel, 30, "lighthouse", { title: "Idea" });
    const answers = () =>
      Promise.all([
        ...["lighthouse", "lighthouse idea", "idea lighthuose", "lighth"].map((q) => found(panelist, q)),
        similar(panelist, "Lighthouse w3"),
      ]);
    const before = await answers();
    expect(before[0]).toHaveLength(20);
    await fill(panel, 60, "lighthouse", { title: "Other", visibility: "hidden", from: 100 });
    await fill(panel, 60, "lighthouse", { title: "Other", visibility: "pending", from: 200 });
    expect(await answers()).toEqual(before);
  });

  it("takes every sign as what it is, and answers however a text is made", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    const marks = "\u0301".repeat(180);
    const [turned, piled] = ["Ferry yrref to the island", `Zal${marks}go ferry`];
    for (const title of [turned.replace("y", "y\u202e"), piled, "日".repeat(200), "ก".repeat(200), "🎉🎉🎉"])
      await panelist.submit(title);
    const hostile = [
      "%",
      "_",
      "*",
      "'",
      '"',
      "\\",
      "%%%",
      "ferr%",
      "f_rry",
      "f*",
      "' OR 1=1 --",
      'NEAR("a" "b")',
      "=ferry",
    ];
    const searches = [
      ...hostile,
      "<yrref",
      "?",
      "??",
      "\u0000",
      "fer\u0000ry",
      "\u202e",
      marks,
      "[",
      "]",
      "null",
      "{}",
    ];
    for (const q of searches) {
      const answer = await panelist.send("GET", listPath({ q }));
      expect([200, 400], JSON.stringify(q)).toContain(answer.status);
      if (answer.status === 200) expect((await answer.json<Page>()).items.length, q).toBeLessThanOrEqual(2);
    }
    expect(await found(panelist, "zalgo")).toEqual([piled]);
    expect(await found(panelist, "\u202eisland")).toEqual([turned]);
    expect(await found(panelist, "🎉")).toEqual(["🎉🎉🎉"]);
    for (const q of ["日".repeat(200), "ก".repeat(200)]) expect(await found(panelist, q)).toEqual([q]);
    expect((await panelist.send("GET", listPath({ q: "x".repeat(10_000) }))).status).toBe(400);
  });

  it("finds nothing of another idea bank, and of another account nothing", async () => {
    const [panel, other] = [await createPanel(), await createPanel()];
    const [panelist, stranger] = [await panel.panelist(), await other.panelist()];
    await panelist.submit("Ferry");
    expect(await found(stranger, "ferry")).toEqual([]);
    expect(await similar(stranger, "ferry")).toEqual([]);
    const foreign = await other.tenant.send("GET", `/tenant/ideabanks/${panel.bank.id}/proposals?q=ferry`);
    expect(foreign.status).toBe(403);
  });
});

describe("similar", { tags: "slow" }, () => {
  it("has at most five proposals that share enough words with the title", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (let each = 0; each < 7; each++) await panelist.submit(`Night bus ${each}`);
    await panelist.submit("A roof at the stop");
    expect(await similar(panelist, "Buses at night")).toHaveLength(5);
    expect(await similar(panelist, "Solar panels at the harbour")).toEqual([]);
    expect((await panelist.send("GET", `${PROPOSALS}/similar`)).status).toBe(400);
  });

  it("shares two words with the title, or one that is rare in the idea bank, or all of its own", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    for (const title of ["More night buses please", "Dogs welcome", "Aquarium tickets"]) await panelist.submit(title);
    expect(await similar(panelist, "More benches")).toEqual([]);
    expect(await similar(panelist, "Buses at night")).toEqual(["More night buses please"]);
    expect(await similar(panelist, "The aquarium is far away")).toEqual(["Aquarium tickets"]);
    for (let each = 0; each < 3; each++) await panelist.submit(`Tickets for zone ${each}`);
    expect(await similar(panelist, "Cheaper tickets")).toEqual([]);
    await panelist.submit("Tickets");
    expect(await similar(panelist, "Cheaper tickets")).toEqual(["Tickets"]);
    // A short word tells something only where there are many titles.
    expect(await similar(panelist, "Allow dogs")).toEqual([]);
    await fill(panel, 50, "alpha");
    expect(await similar(panelist, "Allow dogs")).toEqual(["Dogs welcome"]);
  });
});

describe("the words of a title", { tags: "slow" }, () => {
  it("follow an edit by panelist and tenant at once, also one that changes no word, and a deletion", async () => {
    const panel = await createPanel();
    const panelist = await panel.panelist();
    const id = await panelist.submit("Night buses");
    await panelist.send("PATCH", `${PROPOSALS}/${id}`, { title: "NIGHT BUSES!" });
    expect(await found(panelist, "night")).toEqual(["NIGHT BUSES!"]);
    await panelist.send("PATCH", `${PROPOSALS}/${id}`, { title: "Night trains" });
    expect([await found(panelist, "buses"), await found(panelist, "trains")]).toEqual([[], ["Night trains"]]);
    await panel.manage("PATCH", `/proposals/${id}`, { title: "Day trains" });
    expect([await found(panelist, "night"), await found(panelist, "day")]).toEqual([[], ["Day trains"]]);
    await panel.manage("PATCH", `/proposals/${id}`, { description: "No word." });
    expect([await found(panelist, "day"), await found(panelist, "word")]).toEqual([["Day trains"], ["Day trains"]]);
    await panel.manage("PATCH", `/proposals/${id}`, { description: "A text." });
    expect([await found(panelist, "word"), await found(panelist, "text")]).toEqual([[], ["Day trains"]]);
    await panelist.send("DELETE", `${PROPOSALS}/${id}`);
    expect(await storedWords(panel)).toEqual([]);
  });

  it("go with a merge, and with the idea bank", async () => {
    const panel = await createPanel();
    const [target, source] = [await panel.propose({ title: "Ferry" }), await panel.propose({ title: "Boat" })];
    await panel.manage("POST", `/proposals/${source}/merge`, { into: target });
    expect((await storedWords(panel)).map(({ word }) => word)).toEqual(["ferry"]);
    await panel.manage("DELETE", "");
    await runJob(env);
    expect(await storedWords(panel)).toEqual([]);
  });
});

type Filling = { readonly title?: string; readonly visibility?: string; readonly from?: number };

/** `count` proposals whose titles and texts have `words`, and a number of their own; or with another title. */
async function fill(
  { bank }: Panel,
  count: number,
  words: string,
  { title = words, visibility = "public", from = 1 }: Filling = {},
): Promise<void> {
  await databaseOf(bank.id)
    .prepare(
      `${numbers(from, from + count - 1)} INSERT INTO proposals (id, account_id, idea_bank_id, author_id, title, description, visibility, created_at,
         last_activity_at, words, title_terms, text_terms, indexed)
       SELECT substr(?1, 1, 5) || (i + 1000000), ?2, ?1, ?3, ?4 || i, ?5, ?6, i, i, json_insert(?7, '$[#]', 'w' || i), ?8, ?9, 1 FROM n`,
    )
    .bind(
      ...[bank.id, bank.accountId, bank.panelistId, title, words, visibility],
      ...[titleWords(title), titleTerms(title), textTerms(words)],
    )
    .run();
}

describe("costs", () => {
  const SIX = "alphabet bravissimo charly deltas echoes foxtrott";

  it.each([100, 4_000])(
    "among %d titles with all its words, a search reads at most 400 rows in one round trip",
    { tags: "slow" },
    async (count) => {
      const panel = await createPanel();
      await fill(panel, count, SIX);
      await databaseOf(panel.bank.id)
        .prepare(
          "INSERT INTO votes SELECT id, author_id, account_id, idea_bank_id, 1 FROM proposals WHERE idea_bank_id = ?1",
        )
        .bind(panel.bank.id)
        .run();
      const batches: number[] = [];
      const metered = meterDatabase(databaseOf(panel.bank.id), (results) =>
        batches.push(results.reduce((sum, { meta }) => sum + meta.rows_read, 0)),
      );
      const isolate = createIsolate(withoutLimits({ ...env, [bindingOf(panel.bank.id)]: metered }));
      const send = sendWith(isolate, panel.bank.token);
      for (const path of [
        listPath({ q: SIX, limit: "100" }),
        listPath({ q: "alp bra cha del ech fox", limit: "100" }),
        listPath({ q: "alphabet bravissmo charly deltas echoes foxtott", limit: "100" }),
        listPath({ q: "phabet vissimo trott", limit: "100" }),
        // Two letters are wrong, where each of the titles has a gap.
        listPath({ q: "brxyissimo alphabet charly deltas", limit: "100" }),
        listPath({ q: "alphabetical bravissimo charly deltas echoes foxtrott", limit: "100" }),
        listPath({ q: "bravissimoabcdef alphabet charly deltas echoes foxtrott", limit: "100" }),
        listPath({ q: SIX, limit: "100", status: "submitted" }),
        listPath({ q: "alphabet w1", limit: "100" }),
        `${PROPOSALS}/similar?title=${encodeURIComponent(SIX)}`,
      ]) {
        batches.length = 0;
        const { items } = await (await send("GET", path)).json<Page>();
        expect(items.length, path).toBeGreaterThan(0);
        expect(batches, path).toHaveLength(1);
        expect.soft(batches[0], path).toBeLessThanOrEqual(400);
      }
    },
  );

  it("an idea writes at most 164 rows of terms, an edit those that change, and its publication each of them twice", async () => {
    const panel = await createPanel();
    const title = (words: readonly string[]) => words.join(" ");
    const words = Array.from({ length: 12 }, (_, index) => `ninechars${index}`);
    let written = 0;
    const metered = meterDatabase(databaseOf(panel.bank.id), (results) => {
      for (const { meta } of results) written += meta.rows_written;
    });
    const isolate = createIsolate(withoutLimits({ ...env, [bindingOf(panel.bank.id)]: metered }));
    const send = sendWith(isolate, panel.bank.token);
    const cost = async (method: string, path: string, json: object) => {
      written = 0;
      const answer = await send(method, path, json);
      return { id: (await answer.json<{ id: string }>()).id, written };
    };
    const none = await cost("POST", PROPOSALS, { title: "…", description: "" });
    const [long, description] = ["言", "w"].map((letter) =>
      Array.from({ length: 150 }, (_, index) =>
        letter === "w" ? `word${index}` : String.fromCodePoint(0x4e00 + index),
      ),
    );
    const most = await cost("POST", PROPOSALS, { title: long?.join(""), description: description?.join(" ") });
    expect(most.written - none.written).toBe(164);
    const twelve = await cost("POST", PROPOSALS, { title: title(words), description: "D" });
    expect(twelve.written - none.written).toBe(12);
    const edit = async (changed: readonly string[], text = "D") =>
      (await cost("PATCH", `${PROPOSALS}/${twelve.id}`, { title: title(changed), description: text })).written;
    // Its author's edits are one step of its history, which the first of them makes.
    await edit(words.toReversed());
    const same = await edit(words);
    expect(await edit(["new", ...words.slice(1)])).toBe(same + 2);
    expect(await edit(["new", ...words.slice(1)], "Text")).toBe(same + 1);
    expect(await edit(["new", ...words.slice(1)], "Text text!")).toBe(same);
    const tenant = await createTenant({ accountId: panel.bank.accountId }, isolate);
    const setVisibility = async (id: string, visibility: string) => {
      written = 0;
      await tenant.send("PATCH", `/tenant/ideabanks/${panel.bank.id}/proposals/${id}`, { visibility });
      return written;
    };
    const hidden = await setVisibility(none.id, "hidden");
    expect((await setVisibility(most.id, "hidden")) - hidden).toBe(2 * 164);
  });

  it("of a word that more than 50 titles have, finds the newest", async () => {
    const panel = await createPanel();
    await fill(panel, 200, "alpha");
    const { items } = await (
      await sendWith(createIsolate(), panel.bank.token)("GET", listPath({ q: "alpha" }))
    ).json<Page>();
    expect(items.map(({ title }) => Number(title.slice(5))).toSorted((a, b) => a - b)[0]).toBeGreaterThan(150);
  });
});
