/** Closed, foreign, draft, not in the audience, missing and a closed capability are one answer, byte for byte. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createIsolate } from "../support/isolate.ts";
import { runJob } from "../support/job.ts";
import { withoutLimits } from "../support/limits.ts";
import { addVoters, addVotes } from "../support/many-rows.ts";
import { sendWith } from "../support/panel.ts";
import { tokenFor } from "../support/world.ts";
import {
  answer,
  createScene,
  DESIGNED,
  inFuture,
  offered,
  own,
  pathOf,
  put,
  refusal,
  responseOf,
  SURVEYS,
  sleep,
  take,
} from "./scene.ts";

/** Everything that an answer says, but which request it was. */
async function bytes(answer: Response): Promise<unknown> {
  const headers = [...answer.headers].filter(([name]) => name !== "x-request-id");
  return [answer.status, answer.statusText, headers, await answer.text()];
}
const NOBODY = "000000000000";

/** A person, and surveys that are not open to them, by why. */
async function closedScene() {
  const scene = await createScene();
  const [robin, kim] = [await scene.panelist(), await scene.panelist()];
  const [elsewhere, sister] = [await createScene(), await createScene({ accountId: scene.bank.accountId })];
  const idea = await scene.propose();
  await kim.send("PUT", `/ideabank/proposals/${idea}/vote`);
  const [closed, full, late] = [
    await scene.open(),
    await scene.open({ maxResponses: 1 }),
    await scene.open({ closesAt: inFuture(1_200) }),
  ];
  await scene.close(closed.id);
  await answer(kim, full.id, { recommend: 9 });
  await sleep(1_300);
  const surveys: Record<string, string> = {
    missing: NOBODY,
    "of its own database and missing": `${scene.bank.id.slice(0, 1)}${NOBODY.slice(1)}`,
    "not an identifier": "zzz",
    draft: (await scene.create()).id,
    closed: closed.id,
    full: full.id,
    "past its time": late.id,
    "for others": (await scene.open({ audience: { votersOf: idea } })).id,
    "another tenant's": (await elsewhere.open()).id,
    "another idea bank's": (await sister.open()).id,
    "answered elsewhere": (await scene.open({ ideaBankId: null, questions: [], url: "https://forms.example.com/1" }))
      .id,
    "an idea bank's id": scene.bank.id,
    "an idea's id": idea,
  };
  return { ...scene, robin, kim, idea, surveys };
}

describe("what is not open to somebody", () => {
  it("is 404 survey-not-found, byte for byte the same, for GET and for PUT with whatever body", async () => {
    const { robin, anew, surveys } = await closedScene();
    const requests: [method: string, pathOf: (id: string) => string, body?: unknown][] = [
      ["GET", pathOf],
      ["PUT", responseOf, { answers: { recommend: 9 } }],
      ["PUT", responseOf, { answers: { recommend: 99 } }],
      ["PUT", responseOf, { answers: {} }],
    ];
    for (const [method, path, body] of requests) {
      const expected = await bytes(await anew(robin)(method, path(NOBODY), body));
      expect(expected).toMatchObject([
        404,
        expect.anything(),
        expect.anything(),
        expect.stringContaining("survey-not-found"),
      ]);
      for (const [why, id] of Object.entries(surveys))
        expect(
          await bytes(await anew(robin)(method, path(id), body)),
          `${method} ${why} ${JSON.stringify(body)}`,
        ).toEqual(expected);
    }
  });

  it("has conditions that tell nothing, and a DELETE of nothing that tells nothing", async () => {
    const { robin, anew, surveys } = await closedScene();
    for (const headers of [{ "If-None-Match": "*" }, { "If-Match": '"1"' }] as Record<string, string>[]) {
      const send = (id: string) => anew(robin)("PUT", responseOf(id), { answers: { recommend: 9 } }, headers);
      const expected = await bytes(await send(NOBODY));
      for (const [why, id] of Object.entries(surveys)) expect(await bytes(await send(id)), why).toEqual(expected);
    }
    const expected = await bytes(await anew(robin)("DELETE", responseOf(NOBODY)));
    for (const [why, id] of Object.entries(surveys))
      expect(await bytes(await anew(robin)("DELETE", responseOf(id))), `DELETE ${why}`).toEqual(expected);
  });

  it("is in no list", async () => {
    const { robin, open, anew } = await closedScene();
    const { id } = await open();
    const { items } = await (await anew(robin)("GET", SURVEYS)).json<{ items: { id: string }[] }>();
    expect(items.map((each) => each.id)).toEqual([id]);
  });

  it("with the capability closed is the same 404, and the list is 404 idea-bank-not-found", async () => {
    const { robin, anew, open, manage } = await closedScene();
    const { id } = await open();
    const missing = await bytes(await anew(robin)("GET", pathOf(NOBODY)));
    const missingPut = await bytes(await anew(robin)("PUT", responseOf(NOBODY), { answers: { recommend: 9 } }));
    for (const [closing, opening] of [
      [{ surveysEnabled: false }, { surveysEnabled: true }],
      [{ status: "CLOSED" }, { status: "OPEN" }],
      [{ status: "DRAFT" }, { status: "OPEN" }],
    ]) {
      await manage("PATCH", "", closing);
      const list = await anew(robin)("GET", SURVEYS);
      expect(await refusal(list)).toMatchObject({ status: 404, error: "idea-bank-not-found" });
      expect(await bytes(await anew(robin)("GET", pathOf(id)))).toEqual(missing);
      expect(await bytes(await anew(robin)("PUT", responseOf(id), { answers: { recommend: 9 } }))).toEqual(missingPut);
      await manage("PATCH", "", opening ?? {});
      expect((await anew(robin)("GET", pathOf(id))).status).toBe(200);
    }
  });

  it("the list of a closed idea bank is byte for byte that of one that never was", async () => {
    const { robin, anew, manage, bank } = await closedScene();
    const ghost = await tokenFor(`${bank.id.slice(0, 1)}${NOBODY.slice(1)}`, robin.id);
    await manage("PATCH", "", { surveysEnabled: false });
    const closed = await bytes(await anew(robin)("GET", SURVEYS));
    expect(await bytes(await anew({ token: ghost })("GET", SURVEYS))).toEqual(closed);
  });
});

describe("the capability", () => {
  it("is canAnswerSurveys: open and surveysEnabled, whatever else is switched off", async () => {
    const { robin, anew, manage, open, json, tenant, bank } = await closedScene();
    const { id } = await open();
    const can = async () => {
      const { capabilities } = await (await anew(robin)("GET", "/ideabank")).json<{
        capabilities: Record<string, boolean>;
      }>();
      return capabilities.canAnswerSurveys;
    };
    expect(await can()).toBe(true);
    const path = `/tenant/ideabanks/${bank.id}`;
    expect(await json<object>(await tenant.send("GET", path))).toMatchObject({ surveysEnabled: true });
    await manage("PATCH", "", {
      internal: true,
      votingEnabled: false,
      commentsEnabled: false,
      submissionsEnabled: false,
      changelogEnabled: false,
    });
    expect(await can()).toBe(true);
    expect((await anew(robin)("PUT", responseOf(id), { answers: { recommend: 9 } })).status).toBe(200);
    expect((await anew(robin)("GET", SURVEYS)).status).toBe(200);
    await manage("PATCH", "", { surveysEnabled: false });
    expect(await json<object>(await tenant.send("GET", path))).toMatchObject({ surveysEnabled: false });
    expect(await can()).toBe(false);
    await manage("PATCH", "", { surveysEnabled: true, status: "CLOSED" });
    expect(await can()).toBe(false);
  });

  it("the statement decides: a write through an isolate that still knows the open bank is refused", async () => {
    const { robin, manage, open, responses } = await createScene().then(async (scene) => ({
      ...scene,
      robin: await scene.panelist(),
    }));
    const { id } = await open();
    const stale = sendWith(createIsolate(withoutLimits(env)), robin.token);
    expect((await stale("GET", SURVEYS)).status).toBe(200);
    await manage("PATCH", "", { surveysEnabled: false });
    expect((await stale("PUT", responseOf(id), { answers: { recommend: 9 } })).status).toBe(404);
    await manage("PATCH", "", { surveysEnabled: true });
    expect(await responses(id)).toEqual([]);
  });
});

describe("a closed survey", () => {
  it("takes no answer, not even the same or a changed one, and gives back one's own", async () => {
    const { open, close, people, results, responses } = await createScene();
    const [one, two] = await people(2);
    if (one === undefined || two === undefined) throw new Error("nobody");
    const { id } = await open();
    await answer(one, id, { recommend: 9 });
    await answer(two, id, { recommend: 1 });
    await close(id);
    expect((await put(one, id, { recommend: 8 })).status).toBe(404);
    expect((await responses(id)).find(({ panelistId }) => panelistId === one.id)?.answers).toEqual({ recommend: 9 });
    expect((await take(one, id)).status).toBe(204);
    const counted = await results(id);
    expect([counted.responses, counted.questions[0]?.mean]).toEqual([1, 1]);
    expect((await put(one, id, { recommend: 9 })).status).toBe(404);
  });

  it("is reopened, and goes on where it was", async () => {
    const { open, close, change, people, results, read } = await createScene();
    const [one, two] = await people(2);
    if (one === undefined || two === undefined) throw new Error("nobody");
    const { id, openedAt } = await open();
    await answer(one, id, { recommend: 9 });
    await close(id);
    await change(id, { status: "OPEN" });
    expect((await own(one, id)).response?.answers).toEqual({ recommend: 9 });
    await answer(two, id, { recommend: 1 });
    await answer(one, id, { recommend: 3 });
    expect((await results(id)).questions[0]?.mean).toBe(2);
    expect((await read(id)).openedAt).toBe(openedAt);
  });

  it("that has passed its time is reopened only with another time", async () => {
    const { open, patch, change, panelist, read } = await createScene();
    const robin = await panelist();
    const { id } = await open({ closesAt: inFuture(900) });
    await sleep(1_000);
    await runJob(env);
    expect((await read(id)).status).toBe("CLOSED");
    const refused = await patch(id, { status: "OPEN" });
    expect([400, 409]).toContain(refused.status);
    expect((await put(robin, id, { recommend: 9 })).status).toBe(404);
    await change(id, { status: "OPEN", closesAt: inFuture(60_000) });
    await answer(robin, id, { recommend: 9 });
  });

  it("opening one whose time has passed is refused, and names closesAt", async () => {
    const { create, patch, read } = await createScene();
    const { id } = await create({ closesAt: inFuture(300) });
    await sleep(400);
    const refused = await refusal(await patch(id, { status: "OPEN" }));
    expect([400, 409], refused.text).toContain(refused.status);
    expect(refused.text).toContain("closesAt");
    expect((await read(id)).status).toBe("DRAFT");
  });

  it("times come back in UTC with milliseconds, whatever zone they were sent in", async () => {
    const { open, panelist } = await createScene();
    const { id, closesAt } = await open({ closesAt: "2099-12-12T18:00:00+01:00" });
    expect(closesAt).toBe("2099-12-12T17:00:00.000Z");
    expect((await offered(await panelist())).find((each) => each.id === id)?.closesAt).toBe("2099-12-12T17:00:00.000Z");
  });
});

it("the close by its time is told once, as a change of the survey, with the job", async () => {
  const { open, panelist, changes, read } = await createScene();
  const robin = await panelist();
  const { id } = await open({ closesAt: inFuture(700) });
  await answer(robin, id, { recommend: 9 });
  const before = (await changes()).length;
  await sleep(800);
  for (let times = 0; times < 3; times++) await runJob(env);
  expect((await changes()).slice(before)).toMatchObject([
    { type: "survey.updated", surveyId: id, survey: { id, status: "CLOSED", responses: 1 } },
  ]);
  expect((await read(id)).status).toBe("CLOSED");
});

describe("an audience", () => {
  it("is those who vote for the idea now, in list, GET and PUT", async () => {
    const { open, people, propose, anew } = await createScene();
    const [voter, other] = await people(2);
    if (voter === undefined || other === undefined) throw new Error("nobody");
    const votersOf = await propose();
    const { id } = await open({ audience: { votersOf } });
    expect((await put(voter, id, { recommend: 9 })).status).toBe(404);
    await voter.send("PUT", `/ideabank/proposals/${votersOf}/vote`);
    expect((await offered({ send: anew(voter) })).map((each) => each.id)).toEqual([id]);
    expect(await offered({ send: anew(other) })).toEqual([]);
    expect((await put(voter, id, { recommend: 9 })).status).toBe(200);
    expect((await put(other, id, { recommend: 9 })).status).toBe(404);
    await other.send("PUT", `/ideabank/proposals/${votersOf}/vote`);
    await other.send("DELETE", `/ideabank/proposals/${votersOf}/vote`);
    expect((await put(other, id, { recommend: 9 })).status).toBe(404);
  });

  it("follows a merge to the idea that stays, with the voters of both", async () => {
    const { open, people, propose, manage, read } = await createScene();
    const [one, two, three] = await people(3);
    if (one === undefined || two === undefined || three === undefined) throw new Error("nobody");
    const [source, target] = [await propose(), await propose()];
    await one.send("PUT", `/ideabank/proposals/${source}/vote`);
    await two.send("PUT", `/ideabank/proposals/${target}/vote`);
    const { id } = await open({ audience: { votersOf: source } });
    const draft = await open({ audience: { votersOf: source }, title: "Another" });
    await answer(one, id, { recommend: 9 });
    await manage("POST", `/proposals/${source}/merge`, { into: target });
    await runJob(env);
    for (const each of [id, draft.id]) expect((await read(each)).audience).toEqual({ votersOf: target });
    await answer(two, id, { recommend: 8 });
    await answer(one, id, { recommend: 7 });
    expect((await put(three, id, { recommend: 9 })).status).toBe(404);
  });

  it("follows the merge of an idea with 120 voters, who are in before and after their votes have moved", async () => {
    const { open, people, propose, manage, read, bank } = await createScene();
    const [robin] = await people(1);
    if (robin === undefined) throw new Error("nobody");
    const [source, target] = [await propose(), await propose()];
    await robin.send("PUT", `/ideabank/proposals/${source}/vote`);
    await addVoters(bank, 1, 120);
    await addVotes(bank, source, 1, 120);
    const { id } = await open({ audience: { votersOf: source } });
    await manage("POST", `/proposals/${source}/merge`, { into: target });
    const during = await put(robin, id, { recommend: 9 });
    for (let times = 0; times < 4; times++) await runJob(env);
    expect((await read(id)).audience).toEqual({ votersOf: target });
    expect((await put(robin, id, { recommend: 8 })).status).toBe(200);
    expect(during.status, "while votes are moving").toBe(200);
  });

  it("of a deleted idea leaves those already in, and lets nobody else in", async () => {
    const { open, people, propose, manage, results, responses } = await createScene();
    const [one, two] = await people(2);
    if (one === undefined || two === undefined) throw new Error("nobody");
    const votersOf = await propose();
    for (const { send } of [one, two]) await send("PUT", `/ideabank/proposals/${votersOf}/vote`);
    const { id } = await open({ audience: { votersOf } });
    await answer(one, id, { recommend: 9 });
    await manage("DELETE", `/proposals/${votersOf}`);
    await runJob(env);
    expect((await responses(id)).map(({ panelistId }) => panelistId)).toEqual([one.id]);
    expect((await results(id)).responses).toBe(1);
    expect((await put(two, id, { recommend: 9 })).status).toBe(404);
    expect((await put(one, id, { recommend: 8 })).status).toBe(200);
    expect((await take(one, id)).status).toBe(204);
  });
});

it("the questions of one survey are never those of another in the same idea bank", async () => {
  const { open, panelist, results, responses } = await createScene();
  const robin = await panelist();
  const [one, two] = [await open({ questions: DESIGNED }), await open({ questions: DESIGNED, title: "Two" })];
  await answer(robin, one.id, { recommend: 9 });
  expect((await own(robin, two.id)).response).toBeNull();
  expect((await results(two.id)).responses).toBe(0);
  await answer(robin, two.id, { recommend: 1 });
  expect((await responses(one.id))[0]?.answers).toEqual({ recommend: 9 });
  expect((await responses(two.id))[0]?.answers).toEqual({ recommend: 1 });
  await take(robin, one.id);
  expect((await results(two.id)).responses).toBe(1);
});
