/** The pages of a survey: opening and closing it, what its results say, who is in them, and what an anonymous one does not show. */
import { describe, expect, it } from "vitest";
import { readForm, readForms } from "../../support/read-forms.ts";
import { createSurveyDesk, type SurveyDesk } from "../../support/survey-desk.ts";

const QUESTIONS = [
  { id: "recommend", kind: "scale", title: "Would you recommend us?", from: 0, to: 10, nps: true, required: true },
  {
    ...{ id: "why", kind: "text", title: "What is missing?" },
    showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] },
  },
  {
    ...{ id: "next", kind: "choice", title: "Which comes first?", other: true },
    options: [
      { id: "dark", label: "Dark mode" },
      { id: "night", label: "Night buses" },
    ],
  },
];

const textOf = async (page: Response) =>
  (await page.text())
    .replaceAll(/<(?:script|style)[^>]*>.*?<\/(?:script|style)>/gs, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ");

type Given = object;
async function answerAll(desk: SurveyDesk, id: string, answers: readonly Given[]) {
  for (const each of answers) await desk.answer(id, each, await desk.person());
}

describe("opening", () => {
  it("says who is asked, how many they are and until when; the event has the status before and after", {
    tags: "slow",
  }, async () => {
    const desk = await createSurveyDesk();
    const idea = await desk.idea("Night buses", { voters: 3 });
    const id = await desk.create({
      ...{ status: "DRAFT", questions: QUESTIONS, audience: { votersOf: idea } },
      closesAt: "2099-12-12T17:00:00Z",
    });
    const page = await textOf(await desk.owner.page(`/surveys/${id}`));
    expect(page).toContain("3 people voted for “ Night buses ”.");
    expect(page).toContain("They can answer until December 12, 2099 at 17:00 (UTC) .");
    for (const [what, is] of [
      ["open", "OPEN"],
      ["close", "CLOSED"],
      ["open", "OPEN"],
    ] as const) {
      const was = (await desk.survey(id)).status;
      const done = await desk.owner.submit(`/surveys/${id}`, { do: what });
      expect(done.status).toBe(303);
      expect((await desk.survey(id)).status).toBe(is);
      const [event] = (await desk.owner.events()).filter((each) => each.event === "survey-changed");
      expect(event).toMatchObject({
        ...{ actor: desk.owner.email, subject: { id, name: "Buses at night" } },
        changes: { before: { status: was }, after: { status: is } },
      });
    }
    expect(await textOf(await desk.owner.page("/activity"))).toContain("Status: Closed → Open.");
  });

  it("of a survey for everybody counts the people who have come", async () => {
    const desk = await createSurveyDesk();
    for (let count = 0; count < 4; count++) await desk.person();
    const id = await desk.create({ status: "DRAFT", questions: QUESTIONS });
    const page = await textOf(await desk.owner.page(`/surveys/${id}`));
    expect(page).toContain(
      "Everybody who is signed in on “ Riverline ” is asked. 4 people have signed in on your boards so far.",
    );
  });

  it("is not offered without a question, and says that a board lets nobody answer", async () => {
    const desk = await createSurveyDesk();
    const id = await desk.create({ status: "DRAFT", questions: [] });
    await desk.tenant("PATCH", `/ideabanks/${desk.boardId}`, { surveysEnabled: false });
    const page = await desk.owner.page(`/surveys/${id}`);
    const buttons = (await readForms(page.clone())).flatMap((form) => form.buttons);
    expect(buttons).not.toContain("Open survey");
    expect(await textOf(page)).toContain("Surveys are off on this board, so nobody can answer yet.");
  });
});

it("a board with 20 open surveys opens no other, and says so in the team’s words", { tags: "slow" }, async () => {
  const desk = await createSurveyDesk();
  for (let count = 0; count < 20; count++) await desk.create({ questions: QUESTIONS });
  const id = await desk.create({ status: "DRAFT", questions: QUESTIONS });
  const refused = await desk.owner.submit(`/surveys/${id}`, { do: "open" });
  expect([refused.status, await textOf(refused)]).toEqual([
    409,
    expect.stringContaining("The board has 20 open surveys, the maximum. Close one first."),
  ]);
  expect((await desk.survey(id)).status).toBe("DRAFT");
});

describe("the results", { tags: "slow" }, () => {
  async function createAnswered() {
    const desk = await createSurveyDesk();
    const id = await desk.create({ questions: QUESTIONS });
    await answerAll(desk, id, [
      { recommend: 10, next: "dark" },
      { recommend: 9, next: "night" },
      { recommend: 7 },
      { recommend: 3, next: { other: "Bike racks" }, why: "Buses after midnight." },
      { recommend: 0, why: "A quiet car." },
    ]);
    const page = async (more = "") => textOf(await desk.owner.page(`/surveys/${id}${more}`));
    return { desk, id, page };
  }

  it("count those who answered, skipped and did not see a question, with shares of those who answered", async () => {
    const { page } = await createAnswered();
    const text = await page();
    expect(text).toContain("Responses 5");
    expect(text).toContain("2. What is missing? 2 answered, 3 didn’t see it");
    expect(text).toContain("3. Which comes first? 3 answered, 2 skipped it");
    expect(text).toContain("Dark mode 1 of 3 33% Night buses 1 of 3 33% Something else 1 of 3 33%");
    expect(text).toContain("They’re rounded, so they may not add up to 100.");
    expect(text).toContain("0 Net Promoter Score, from −100 to 100");
    expect(text).toContain(
      "Detractors (0 to 6): 2 of 5, 40% Passives (7 and 8): 1 of 5, 20% Promoters (9 and 10): 2 of 5, 40%",
    );
  });

  it("of those who gave one answer are all of the page’s, with the filter beside each number and in the file’s name", async () => {
    const { desk, id, page } = await createAnswered();
    const text = await page("?only=recommend%3D3");
    expect(text).toContain("Responses in the filter 1 of 5 in all");
    expect(text.match(/Only “ 3 ” Clear/g)).toHaveLength(4);
    expect(text).toContain("Buses after midnight.");
    expect(text).not.toContain("A quiet car.");
    const file = await desk.owner.page(`/surveys/${id}/responses.csv?only=recommend%3D3`);
    expect(file.headers.get("Content-Disposition")).toBe('attachment; filename="Buses-at-night-only-recommend-3.csv"');
    expect((await file.text()).trim().split("\r\n")).toHaveLength(2);
    const texts = await textOf(await desk.owner.page(`/surveys/${id}/texts?question=why&only=recommend%3D0`));
    expect(texts).toContain("A quiet car.");
    expect(texts).not.toContain("Buses after midnight.");
  });

  it("have texts newest first, and find them by their words", async () => {
    const { desk, id } = await createAnswered();
    const all = await textOf(await desk.owner.page(`/surveys/${id}/texts?question=why`));
    expect(all.indexOf("A quiet car.")).toBeLessThan(all.indexOf("Buses after midnight."));
    const found = await textOf(await desk.owner.page(`/surveys/${id}/texts?question=why&q=QUIET`));
    expect(found).toContain("A quiet car.");
    expect(found).not.toContain("Buses after midnight.");
  });

  it("lead from an option to the idea that it was made of, while that is there", async () => {
    const desk = await createSurveyDesk();
    const [one, two] = [await desk.idea("Dogs on ferries", { voters: 2 }), await desk.idea("Quay lights")];
    const form = await readForm(
      await desk.owner.page(`/surveys/new?template=ideas&board=${desk.boardId}`),
      "Save draft",
    );
    const names = [...new Set(form.fields.keys())];
    const sent = Object.fromEntries(names.map((name) => [name, form.fields.getAll(name)]));
    const saved = await desk.owner.submit("/surveys/new", { ...sent, do: "save" });
    const id = /surveys\/(\w{12})/.exec(saved.headers.get("Location") ?? "")?.[1] ?? "";
    const { questions } = await desk.change(id, { status: "OPEN" });
    const [question] = questions;
    const option = question && "options" in question ? question.options[0]?.id : undefined;
    await answerAll(desk, id, [{ which: [option] }]);
    await desk.tenant("DELETE", `/ideabanks/${desk.boardId}/proposals/${two}`);
    const html = await (await desk.owner.page(`/surveys/${id}`)).text();
    expect(html).toContain(`/account/idea-banks/${desk.boardId}/ideas/${one}"`);
    expect(html).not.toContain(`/ideas/${two}"`);
  });

  it("go with the survey, which says so before; a copy is a draft without them", async () => {
    const { desk, id, page } = await createAnswered();
    expect(await page()).toContain("Its questions and 5 responses go with it. You can’t undo this.");
    const copied = await desk.owner.submit(`/surveys/${id}`, { do: "copy" });
    const copy = /surveys\/(\w{12})\/edit$/.exec(copied.headers.get("Location") ?? "")?.[1] ?? "";
    expect(await desk.survey(copy)).toMatchObject({ status: "DRAFT", responses: 0, title: "Buses at night" });
    expect((await desk.owner.submit(`/surveys/${id}`, { do: "delete" })).status).toBe(303);
    expect((await desk.owner.page(`/surveys/${id}`)).status).toBe(404);
    const names = (await desk.owner.events()).map(({ event }) => event).filter((event) => event.startsWith("survey-"));
    expect(names).toEqual(["survey-deleted", "survey-created"]);
  });
});

describe("an anonymous survey", { tags: "slow" }, () => {
  const ANSWERS = [10, 9, 8, 7, 6].map((recommend) => ({
    recommend,
    next: "dark",
    ...(recommend < 7 && { why: "Rare words" }),
  }));

  it("moves in steps, has no file, no names and no filter while it is open, and is closed for good", async () => {
    const desk = await createSurveyDesk();
    const id = await desk.create({ anonymous: true, questions: QUESTIONS });
    await answerAll(desk, id, ANSWERS.slice(0, 4));
    const open = () => desk.owner.page(`/surveys/${id}`);
    expect(await textOf(await open())).toContain("No responses yet.");
    await answerAll(desk, id, ANSWERS.slice(4));
    const html = await (await open()).text();
    expect(html).toContain("Rare words");
    expect(html).toContain("the numbers move in steps of five responses");
    expect(html).not.toMatch(/responses\.csv|\/account\/people\/|name="only"|\?only=/);
    expect((await desk.owner.page(`/surveys/${id}/responses.csv`)).status).toBe(409);
    await desk.owner.submit(`/surveys/${id}`, { do: "close" });
    const closed = await (await open()).text();
    expect(closed).not.toContain("Reopen survey");
    expect((await desk.owner.submit(`/surveys/${id}`, { do: "open" })).status).toBe(409);
  });

  it("has a filter after its close only where five are inside and five outside, without texts", async () => {
    const desk = await createSurveyDesk();
    const id = await desk.create({ anonymous: true, questions: QUESTIONS });
    const others = Array.from({ length: 5 }, () => ({ recommend: 2, next: "night", why: "Other words" }));
    await answerAll(desk, id, [...ANSWERS, ...others]);
    await desk.owner.submit(`/surveys/${id}`, { do: "close" });
    const page = async (only: string) =>
      textOf(await desk.owner.page(`/surveys/${id}?only=${encodeURIComponent(only)}`));
    const half = await page("next=night");
    expect(half).toContain("Responses in the filter 5");
    expect(half).toContain("Texts aren’t shown with a filter");
    expect(half).not.toContain("Other words");
    const few = await page("recommend=10");
    expect(few).toContain("Some answer to this question was given by fewer than five people");
    expect(few).not.toContain("Net Promoter Score, from");
  });
});

it("what a person has answered is on the person’s page, but for anonymous surveys, and an open survey on Home", {
  tags: "slow",
}, async () => {
  const desk = await createSurveyDesk();
  const robin = await desk.person();
  const [named, anonymous] = [
    await desk.create({ title: "Named one", questions: QUESTIONS }),
    await desk.create({ title: "Anonymous one", anonymous: true, questions: QUESTIONS }),
  ];
  const answers = { recommend: 3, why: "Buses after midnight.", next: { other: "Bike racks" } };
  for (const id of [named, anonymous]) await desk.answer(id, answers, robin);
  const person = await textOf(await desk.owner.page(`/people/${robin.panelistId}`));
  expect(person).toContain("Named one Would you recommend us? 3 What is missing? Buses after midnight.");
  expect(person).toContain("Something else: Bike racks");
  expect(person).not.toContain("Anonymous one");
  const home = await textOf(await desk.owner.page(""));
  expect(home).toContain("Named one Riverline · 1 response");
  expect(home).toContain("Anonymous one Riverline · 0 responses");
});

it("the list is filtered by board and status", { tags: "slow" }, async () => {
  const desk = await createSurveyDesk();
  await desk.create({ title: "Open one", questions: QUESTIONS });
  await desk.create({ title: "A draft", status: "DRAFT" });
  const list = async (query: string) => textOf(await desk.owner.page(`/surveys${query}`));
  const all = await list("");
  expect(all).toContain("A draft Riverline Draft");
  expect(all).toContain("Open one Riverline Open 0");
  const drafts = await list(`?status=DRAFT&ideaBankId=${desk.boardId}`);
  expect(drafts).toContain("A draft");
  expect(drafts).not.toContain("Open one Riverline");
});
