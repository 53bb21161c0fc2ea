/** The form of a survey: what its buttons do, what is saved, and what comes back when it is refused. */
import { describe, expect, it } from "vitest";
import { optionOfIdea } from "../../../src/worker/account/surveys/survey-words.ts";
import type { Survey } from "../../../src/worker/model/survey.ts";
import { readForm } from "../../support/read-forms.ts";
import { createSurveyDesk, type SurveyDesk } from "../../support/survey-desk.ts";

const NEW = "/surveys/new";
const begin = async (desk: SurveyDesk, template: string, more = "") =>
  (await readForm(await desk.owner.page(`${NEW}?template=${template}&board=${desk.boardId}${more}`), "Save draft"))
    .fields;

const submit = async (desk: SurveyDesk, path: string, fields: URLSearchParams, button = "save") => {
  const names = [...new Set(fields.keys())];
  return desk.owner.submit(path, {
    ...Object.fromEntries(names.map((name) => [name, fields.getAll(name)])),
    do: button,
  });
};
const idOf = (saved: Response): string => /surveys\/(\w{12})/.exec(saved.headers.get("Location") ?? "")?.[1] ?? "";
const save = async (desk: SurveyDesk, fields: URLSearchParams): Promise<Survey> => {
  const saved = await submit(desk, NEW, fields);
  expect(saved.status).toBe(303);
  return desk.survey(idOf(saved));
};

describe("a template", () => {
  it("of the five most voted ideas has them as options, and None of these, which excludes the others", {
    tags: "slow",
  }, async () => {
    const desk = await createSurveyDesk();
    const titles = ["Dogs on ferries", "Quay lights", "Later trains", "Bike racks", "Wi-Fi", "A sixth"];
    for (const [place, title] of titles.entries()) await desk.idea(title, { voters: Math.max(0, 5 - place) });
    const survey = await save(desk, await begin(desk, "ideas"));
    const [question] = survey.questions;
    const options = question && "options" in question ? question.options : [];
    expect(options.map(({ label }) => label)).toEqual([...titles.slice(0, 5), "None of these"]);
    expect(options.map(({ exclusive }) => exclusive)).toEqual([false, false, false, false, false, true]);
    expect(survey).toMatchObject({ ideaBankId: desk.boardId, status: "DRAFT", audience: null });
  });

  it("for the voters of an idea asks them", { tags: "slow" }, async () => {
    const desk = await createSurveyDesk();
    const idea = await desk.idea("Night buses", { voters: 3 });
    const chooser = await (await desk.owner.page(`/surveys/new?board=${desk.boardId}&voters=${idea}`)).text();
    expect(chooser).toContain("It asks the 3 people who voted for “");
    const survey = await save(desk, await begin(desk, "recommend", `&voters=${idea}`));
    expect(survey).toMatchObject({
      audience: { votersOf: idea },
      questions: [
        { id: "recommend", from: 0, to: 10, nps: true, required: true },
        { id: "why", showIf: { question: "recommend", anyOf: [0, 1, 2, 3, 4, 5, 6] } },
      ],
    });
  });

  it("without a title is refused, and everything is as it was typed", async () => {
    const desk = await createSurveyDesk();
    const fields = await begin(desk, "empty");
    fields.set("description", "A minute");
    const refused = await submit(desk, NEW, fields);
    expect(refused.status).toBe(400);
    const html = await refused.clone().text();
    expect(html).toContain("Title is empty.");
    expect((await readForm(refused, "Save draft")).fields.get("description")).toBe("A minute");
  });
});

describe("the buttons of the form", () => {
  const ask = async () => {
    const desk = await createSurveyDesk();
    const fields = await begin(desk, "recommend");
    const pressed = async (from: URLSearchParams, button: string) => {
      const page = await submit(desk, NEW, from, button);
      expect(page.status).toBe(200);
      const html = await page.clone().text();
      return {
        fields: (await readForm(page, "Save draft")).fields,
        focus: /id="([^"]+)"[^>]* autofocus/.exec(html)?.[1],
      };
    };
    return { desk, fields, pressed };
  };
  const questionsOf = (fields: URLSearchParams) => fields.getAll("question");

  it("add a question of each kind, in which the focus is, and lose nothing", { tags: "slow" }, async () => {
    const { fields, pressed } = await ask();
    fields.set("title:why", "What else?");
    fields.set("closesAt", "2099-12-12T18:00");
    let form = { fields, focus: undefined as string | undefined };
    for (const [place, kind] of ["choice", "choices", "scale", "text"].entries()) {
      form = await pressed(form.fields, `add:${kind}`);
      expect(form.focus).toBe(`title:q${place + 3}`);
    }
    expect(questionsOf(form.fields)).toEqual(["recommend", "why", "q3", "q4", "q5", "q6"]);
    expect(form.fields.get("title:why")).toBe("What else?");
    expect(form.fields.getAll("anyOf:why")).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
    expect(form.fields.get("closesAt")).toBe("2099-12-12T18:00");
  });

  it("move a question, and take one away", { tags: "slow" }, async () => {
    const { fields, pressed } = await ask();
    const up = await pressed(fields, "up:why");
    expect(questionsOf(up.fields)).toEqual(["why", "recommend"]);
    const down = await pressed(up.fields, "down:why");
    expect(questionsOf(down.fields)).toEqual(["recommend", "why"]);
    const removed = await pressed(down.fields, "remove:recommend");
    expect(questionsOf(removed.fields)).toEqual(["why"]);
    expect(removed.focus).toBe("title:why");
  });

  it("add, move and take away options by their identifiers", { tags: "slow" }, async () => {
    const { fields, pressed } = await ask();
    let form = await pressed(fields, "add:choice");
    for (const [option, label] of [
      ["o1", "One"],
      ["o2", "Two"],
      ["o3", "Three"],
    ] as const)
      form.fields.set(`label:q3:${option}`, label);
    form = await pressed(form.fields, "addOption:q3");
    form = await pressed(form.fields, "upOption:q3:o3");
    form = await pressed(form.fields, "removeOption:q3:o1");
    expect(form.fields.getAll("option:q3")).toEqual(["o3", "o2", "o4"]);
    expect(form.fields.get("label:q3:o3")).toBe("Three");
    expect(form.fields.get("label:q3:o2")).toBe("Two");
  });

  it("do nothing that the form does not have", async () => {
    const { desk, fields } = await ask();
    expect((await submit(desk, NEW, fields, "explode")).status).toBe(400);
  });
});

describe("a saved survey", () => {
  const EDITED = ["Which line?", "The harbor line"];

  async function createOpen() {
    const desk = await createSurveyDesk();
    const id = await desk.create({
      questions: [
        {
          id: "line",
          kind: "choice",
          title: EDITED[0],
          options: [
            { id: "a", label: EDITED[1] },
            { id: "b", label: "The airport line" },
          ],
        },
        { id: "why", kind: "text", title: "Why?", showIf: { question: "line", anyOf: ["a"] } },
      ],
    });
    const open = async () => (await readForm(await desk.owner.page(`/surveys/${id}/edit`), "Save")).fields;
    return { desk, id, open, path: `/surveys/${id}/edit` };
  }

  it("is unchanged by a form that nobody has changed: nothing is written", { tags: "slow" }, async () => {
    const { desk, id, open, path } = await createOpen();
    const before = await desk.survey(id);
    expect((await submit(desk, path, await open())).status).toBe(303);
    expect(await desk.survey(id)).toEqual(before);
    expect((await desk.owner.events()).filter(({ event }) => event.startsWith("survey-"))).toEqual([]);
  });

  it("keeps what an answer means when an option is renamed, and takes new ones at the end", {
    tags: "slow",
  }, async () => {
    const { desk, id, open, path } = await createOpen();
    const fields = await open();
    expect([...fields.keys()].filter((name) => name.startsWith("kept:"))).toEqual(["kept:line", "kept:line"]);
    fields.set("label:line:a", "Harbor");
    fields.append("option:line", "o3");
    fields.set("label:line:o3", "Neither");
    expect((await submit(desk, path, fields)).status).toBe(303);
    const [question] = (await desk.survey(id)).questions;
    expect(question).toMatchObject({
      options: [
        { id: "a", label: "Harbor" },
        { id: "b", label: "The airport line" },
        { id: "o3", label: "Neither" },
      ],
    });
    expect(question).toMatchObject({ id: "line", kind: "choice" });
  });

  it("that has been open offers only what may change", async () => {
    const { desk, path } = await createOpen();
    const html = await (await desk.owner.page(path)).text();
    expect(html).not.toMatch(/value="(?:up|down|remove|removeOption|upOption):(?:line|why)/);
    expect(html).not.toMatch(/<input[^>]*type="checkbox"[^>]*name="(?:anonymous|required:line)"/);
    expect(html).not.toContain('<select id="ideaBankId"');
    expect(html).toContain('value="addOption:line"');
    expect(html).toContain('value="add:text"');
  });

  it("keeps what somebody else has changed meanwhile, and does not replace questions unread", {
    tags: "slow",
  }, async () => {
    const { desk, id, open, path } = await createOpen();
    const mine = await open();
    await desk.change(id, { thanks: "Thank you!" });
    mine.set("title", "Another title");
    expect((await submit(desk, path, mine)).status).toBe(303);
    expect(await desk.survey(id)).toMatchObject({ title: "Another title", thanks: "Thank you!" });

    const again = await open();
    const { questions } = await desk.survey(id);
    await desk.change(id, { questions: [...questions, { id: "more", kind: "text", title: "More?" }] });
    again.set("title:line", "Which line, then?");
    const refused = await submit(desk, path, again);
    expect(refused.status).toBe(409);
    expect(await refused.clone().text()).toContain("Questions now");
    expect((await desk.survey(id)).questions).toHaveLength(3);
  });

  it("comes back as it was typed when somebody has opened it meanwhile", { tags: "slow" }, async () => {
    const { desk } = await createOpen();
    const draft = await save(desk, await begin(desk, "recommend"));
    const path = `/surveys/${draft.id}/edit`;
    const { fields } = await readForm(await desk.owner.page(path), "Save draft");
    await desk.change(draft.id, { status: "OPEN" });
    fields.delete("required:recommend");
    fields.set("title:why", "What did you miss?");
    const refused = await submit(desk, path, fields);
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain("The survey was opened in the meantime.");
    expect(html).toContain("What did you miss?");
    expect(await desk.survey(draft.id)).toMatchObject({ questions: draft.questions });
  });

  it("names the question in which something is wrong, and its field", { tags: "slow" }, async () => {
    const { desk, open, path } = await createOpen();
    const fields = await open();
    fields.set("title:why", " ");
    const refused = await submit(desk, path, fields);
    expect(refused.status).toBe(400);
    const html = await refused.text();
    expect(html).toContain('<a href="#title:why">Question 2 needs a title.</a>');
    expect(html).toContain('id="title:why"');
  });

  it("closes at the time of the reader’s zone", { tags: "slow" }, async () => {
    const { desk, id, open, path } = await createOpen();
    const fields = await open();
    fields.set("closesAt", "2099-12-12T18:00");
    fields.set("zone", "Europe/Berlin");
    expect((await submit(desk, path, fields)).status).toBe(303);
    expect((await desk.survey(id)).closesAt).toBe("2099-12-12T17:00:00.000Z");
    const again = await open();
    again.set("closesAt", "2001-12-12T18:00");
    const refused = await submit(desk, path, again);
    expect(await refused.text()).toContain("Closes must be in the future.");
  });
});

it("an idea has one option, which leads back to it", () => {
  expect(optionOfIdea("0aZ9bY8cX7dW")).toMatch(/^[a-z0-9][a-z0-9_-]{0,39}$/);
});
