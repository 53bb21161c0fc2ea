/** Fills every place that can hold a panelist's words or identity through requests, deletes the person, and looks everywhere. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { DATABASES, databaseOf } from "../../support/databases.ts";
import { createDesk } from "../../support/desk.ts";
import { createIsolate } from "../../support/isolate.ts";
import { runJob } from "../../support/job.ts";
import { CHANGELOG, PROPOSALS, sendWith } from "../../support/panel.ts";
import { PLACES, type Reached, textColumns } from "../../support/places-of-words.ts";

const WORDS = "quetzal";
const NAME = "nightjar";

/** The columns that hold one of the texts, in any case. */
async function holding(...texts: readonly string[]): Promise<string[]> {
  const columns = await textColumns();
  const found = await Promise.all(
    DATABASES.flatMap((database) =>
      columns.map(async (name) => {
        const [table = "", column = ""] = name.split(".");
        const any = texts.map((text) => `instr(lower(${column}), '${text}') > 0`).join(" OR ");
        return (await database.prepare(`SELECT 1 FROM ${table} WHERE ${any} LIMIT 1`).first()) === null ? [] : [name];
      }),
    ),
  );
  return [...new Set(found.flat())].toSorted();
}
const placesOf = (...kinds: readonly Reached[]) =>
  Object.keys(PLACES)
    .filter((name) => kinds.some((kind) => PLACES[name] === kind))
    .toSorted();

/** A person who wrote ideas and comments. The team decided about them, deleted some, and put one into its own words. */
async function createScene() {
  const desk = await createDesk();
  const { panel, owner, bank } = desk;
  const { tenant } = panel;
  const kim = await panel.panelist("Kim");
  const person = { externalId: `${NAME}@example.com`, displayName: `Ms ${NAME}`, email: `${NAME}@example.com` };
  const created = await tenant.send("POST", "/tenant/panelists", person, { "Idempotency-Key": `new-${NAME}` });
  const { id } = await created.json<{ id: string }>();
  // As after a sign-in on the board's page (test/worker/public-page/sign-in-people.test.ts).
  await databaseOf(id)
    .prepare("INSERT INTO sign_in_codes VALUES ('1code', ?1, ?2, 'b', ?3, 'm', 's', 'used c', ?4, ?4, 1)")
    .bind(panel.bank.accountId, panel.bank.id, person.externalId, Date.now())
    .run();
  // As after an e-mail, and after it was unsubscribed from (test/worker/mails).
  await databaseOf(id)
    .prepare("INSERT INTO recipients VALUES (1, ?1, ?2, ?3, ?4, 'sent', 1)")
    .bind(`${NAME}+new@example.com`, panel.bank.accountId, panel.bank.id, id)
    .run();
  await databaseOf(id)
    .prepare("INSERT INTO mutes VALUES (?1, ?2, ?1, 1)")
    .bind(panel.bank.accountId, `${NAME}+new@example.com`)
    .run();
  // The desk corrects the address.
  await owner.submit(`/people/${id}`, { do: "email", email: `${NAME}+new@example.com` });
  const issued = await tenant.send("POST", `/tenant/ideabanks/${panel.bank.id}/tokens`, { panelistId: id });
  const { token } = await issued.json<{ token: string }>();
  const send = sendWith(createIsolate(), token);
  const idOf = async (answer: Promise<Response>) => {
    const created = await answer;
    expect(created.status).toBe(201);
    return (await created.json<{ id: string }>()).id;
  };
  const submit = (number: number) =>
    idOf(
      send(
        "POST",
        PROPOSALS,
        { title: `${WORDS} ${number}`, description: `About ${WORDS}. ${"x".repeat(300)}` },
        { "Idempotency-Key": `${WORDS}-${number}` },
      ),
    );
  const comment = (idea: string, body: string) => idOf(send("POST", `${PROPOSALS}/${idea}/comments`, { body }));
  const [published, edited, deleted, another, discussed] = [
    await submit(1),
    await submit(2),
    await submit(3),
    await submit(4),
    await submit(5),
  ];
  const survey = await tenant.send("POST", "/tenant/surveys", {
    ...{ ideaBankId: panel.bank.id, title: "A survey", status: "OPEN" },
    questions: [{ id: "why", kind: "text", title: "Why?" }],
  });
  const { id: surveyId } = await survey.json<{ id: string }>();
  await send("PUT", `/surveys/${surveyId}/response`, { answers: { why: `A ${WORDS}` } });
  const theirs = await kim.submit("Lamps");
  const [removed, waiting] = [await comment(theirs, `A ${WORDS}`), await comment(theirs, `Another ${WORDS}`)];
  const page = (idea: string) => `${bank}/ideas/${idea}`;
  const press = async (idea: string, button: string, fields: Record<string, string>, below = "") => {
    const path = page(idea) + below;
    const answer = await owner.submit(path, { ...(await desk.opened(path, button)), ...fields });
    expect([fields.do, answer.status]).toEqual([fields.do, 303]);
  };
  await press(edited, "Save text", { do: "edit", title: `Other ${WORDS}s` });
  await press(edited, "Save", { do: "decide", status: "planned", response: "Soon." });
  await press(discussed, "Post comment", { do: "comment", body: "Thanks." });
  await press(published, "Publish", { do: "publish", title: `Our ${WORDS}`, description: "Better" }, "/publish");
  await owner.submit(bank, { ids: [edited, another, discussed], do: "hidden" });
  await owner.submit(bank, { ids: [edited, another, discussed], do: "public" });
  await owner.submit(page(theirs), { do: "delete-comment", commentId: removed });
  for (const act of ["hide-comment", "approve-comment"]) {
    const seen = { seen: `Another ${WORDS}`, was: "hidden" };
    const answer = await owner.submit(page(theirs), { do: act, commentId: waiting, ...seen });
    expect([act, answer.status]).toEqual([act, 303]);
  }
  const merged = await panel.manage("POST", `/proposals/${await submit(6)}/merge`, { into: theirs });
  expect(merged.status).toBeOneOf([200, 204]);
  // Files that the team took, and what it searched.
  for (const path of [`/people/export?q=${NAME}`, `/ideas/export?q=${WORDS}`]) {
    const file = await owner.submit(path, { do: "export" });
    expect([path, file.status]).toEqual([path, 200]);
    expect(await file.text()).toContain(NAME);
  }
  await owner.submit(page(deleted), { do: "delete" });
  // A note of the team, which goes with the person.
  await owner.submit(`/people/${id}`, { do: "add-note", note: `Called ${NAME}.` });
  // Acts of an API key.
  await panel.manage("POST", `/proposals/${discussed}/comments`, { body: "By the key" });
  const { items } = await (await panel.manage("GET", `/proposals/${discussed}/comments`)).json<{
    items: { id: string }[];
  }>();
  await panel.manage("DELETE", `/proposals/${discussed}/comments/${items[0]?.id}`);
  await panel.manage("DELETE", `/proposals/${another}`);
  await sendWith(createIsolate(), kim.token)("GET", CHANGELOG);
  return { ...desk, kim, id, theirs, published };
}

type Scene = Awaited<ReturnType<typeof createScene>>;
const WAYS: [string, (scene: Scene, content: boolean) => Promise<Response>][] = [
  [
    "the tenant API",
    ({ panel, id }, content) =>
      panel.tenant.send("DELETE", `/tenant/panelists/${id}${content ? "?content=delete" : ""}`),
  ],
  [
    "Account Settings",
    ({ owner, id }, content) => owner.submit(`/people/${id}`, { do: content ? "delete-all" : "delete" }),
  ],
];
const MINUTES = 3 * 60_000;
const DAY = 25 * 3_600_000;
const later = (ms: number) => runJob(env, () => Date.now() + ms);

describe.each(WAYS)("deleting a person with %s", (_, remove) => {
  it("and with what the person wrote leaves no word and no name, in the databases and in KV", async () => {
    const scene = await createScene();
    expect(await holding(WORDS, NAME)).toEqual(Object.keys(PLACES).toSorted());
    const before = await scene.activity();
    expect((await remove(scene, true)).status).toBeOneOf([204, 303]);
    expect((await holding(NAME)).filter((name) => PLACES[name] !== "day")).toEqual([]);
    await later(MINUTES);
    expect(await holding(WORDS, NAME)).toEqual(placesOf("day"));
    await later(DAY);
    expect(await holding(WORDS, NAME)).toEqual([]);
    // The changelog is rendered again when it is read, and nothing in KV outlives a day.
    await sendWith(createIsolate(), scene.kim.token)("GET", CHANGELOG);
    const { keys } = await env.CHANGELOGS.list();
    for (const { name, expiration = Number.POSITIVE_INFINITY } of keys) {
      expect((await env.CHANGELOGS.get(name))?.toLowerCase()).not.toContain(WORDS);
      expect(expiration - Date.now() / 1000).toBeLessThanOrEqual(86_400);
    }
    // What was done stays: who, what, when, and the settings.
    const after = (await scene.activity()).filter(({ id }) => before.some((event) => event.id === id));
    const told = (events: typeof before) =>
      events.map(({ event, actor, createdAt, subject, changes }) => ({
        ...{
          event,
          actor,
          createdAt,
          id: subject?.id,
          status: changes?.after.status,
          response: changes?.after.response,
        },
      }));
    expect(told(after)).toEqual(told(before));
    expect(before.length).toBeGreaterThan(8);
    expect(await scene.page("/activity")).toContain("3 ideas: <");
  });

  it("and not with what the person wrote leaves it without an author, and no name", async () => {
    const scene = await createScene();
    expect((await remove(scene, false)).status).toBeOneOf([204, 303]);
    await later(MINUTES);
    expect(await holding(NAME)).toEqual(placesOf("day"));
    await later(DAY);
    expect(await holding(NAME)).toEqual([]);
    expect(await holding(WORDS)).toEqual(placesOf("words"));
    expect(await holding(scene.id.toLowerCase())).not.toContain("audit_events.author_id");
    expect(await scene.idea(scene.published)).toMatchObject({ panelistId: null, title: `Our ${WORDS}` });
  });
});
