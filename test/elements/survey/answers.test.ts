/** The pure parts of `<idea-bank-survey>`: answers while they are given, their faults, keys, and previews. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  choose,
  isChosen,
  knownAnswers,
  otherText,
  sendable,
  writeOther,
} from "../../../src/elements/survey/answers.ts";
import { faultOf } from "../../../src/elements/survey/fault.ts";
import { keyAction, staysInside, typeDigit } from "../../../src/elements/survey/keys.ts";
import { previewOf } from "../../../src/elements/survey/preview.ts";
import { type Answer, type Question, type Questions, readAnswers } from "../../../src/worker/model/survey-answers.ts";

const asked = { title: "?", help: "", required: false, showIf: null };
const options = ["a", "b", "c", "none"].map((id) => ({ id, label: id.toUpperCase(), exclusive: id === "none" }));
const choice = { ...asked, id: "choice", kind: "choice", options, other: true } as const;
const choices = { ...asked, id: "choices", kind: "choices", options, other: true, atLeast: 2, atMost: 3 } as const;
const ends = { lowLabel: "", highLabel: "" };
const scale = { ...asked, ...ends, id: "scale", kind: "scale", from: 0, to: 10, nps: true, stars: false } as const;
const text = { ...asked, id: "text", kind: "text", long: true } as const;
const QUESTIONS: Questions = [choice, choices, scale, text];

describe("choosing", () => {
  it("one of a choice takes the place of another, and the own answer goes with its choice", () => {
    expect(choose(choice, "a", "b")).toBe("b");
    expect(choose(choice, "a", null)).toEqual({ other: "" });
    expect(choose(choice, { other: "x" }, null)).toEqual({ other: "x" });
    expect(otherText(choose(choice, { other: "x" }, "a"))).toBe("");
  });

  it("of several keeps the order of the options, and takes one back", () => {
    expect(choose(choices, undefined, "b")).toEqual(["b"]);
    expect(choose(choices, ["b"], "a")).toEqual(["a", "b"]);
    expect(choose(choices, ["a", "b"], "a")).toEqual(["b"]);
    expect(choose(choices, ["b", { other: "x" }], "a")).toEqual(["a", "b", { other: "x" }]);
    expect(writeOther(["b", { other: "x" }], "y")).toEqual(["b", { other: "y" }]);
    expect(isChosen(["b", { other: "" }], null)).toBe(true);
  });

  it("an option that excludes the others stands alone, the own answer among them", () => {
    expect(choose(choices, ["a", { other: "x" }], "none")).toEqual(["none"]);
    expect(choose(choices, ["none"], "b")).toEqual(["b"]);
    expect(choose(choices, ["none"], null)).toEqual([{ other: "" }]);
  });
});

describe("what is kept", () => {
  it("loses what the survey does not have, and guesses nothing", () => {
    const kept = { choice: "gone", choices: ["a", "gone", 3], scale: 11, text: 7, unknown: "x", constructor: "y" };
    expect({ ...knownAnswers(QUESTIONS, kept) }).toEqual({ choices: ["a"] });
    for (const nothing of [null, "x", 3, [], undefined]) expect({ ...knownAnswers(QUESTIONS, nothing) }).toEqual({});
    const whole = { choice: { other: "" }, choices: ["a"], scale: 0, text: " x" };
    expect({ ...knownAnswers(QUESTIONS, whole) }).toEqual(whole);
  });

  it("is sent only where its question is shown", () => {
    const hidden: Question = { ...text, id: "why", showIf: { question: "scale", anyOf: [0] } };
    expect(sendable([scale, hidden], { scale: 0, why: "x" })).toEqual({ scale: 0, why: "x" });
    expect(sendable([scale, hidden], { scale: 1, why: "x" })).toEqual({ scale: 1 });
    expect(sendable([text], { text: "  " })).toEqual({});
  });
});

describe("faults", () => {
  const other = fc.oneof(fc.constant(""), fc.constant(" "), fc.string(), fc.constant("x".repeat(201)));
  const chosen = fc.oneof(fc.constantFrom("a", "b", "c", "none"), fc.record({ other }));
  const given: Record<Question["kind"], fc.Arbitrary<Answer | undefined>> = {
    choice: chosen,
    choices: fc
      .uniqueArray(fc.constantFrom("a", "b", "c", "none", null))
      .map((pressed) => pressed.reduce<Answer>((answer, id) => choose(choices, answer, id), [])),
    scale: fc.integer({ min: 0, max: 10 }),
    text: fc.oneof(fc.string(), fc.constant("💡".repeat(5_000)), fc.constant("x".repeat(5_001))),
  };

  it.each(QUESTIONS.map((question) => [question.kind, question] as const))(
    "of a %s are found where the API finds them",
    (kind, question) => {
      const property = (answer: Answer | undefined, required: boolean) => {
        const asked = { ...question, required };
        const { faults } = readAnswers([asked], answer === undefined ? {} : { [question.id]: answer });
        expect(faultOf(asked, answer) === undefined).toBe(faults.length === 0);
      };
      fc.assert(fc.property(fc.option(given[kind], { nil: undefined }), fc.boolean(), property));
    },
  );

  it("say which", () => {
    expect(faultOf({ ...text, required: true }, " ")).toEqual({ label: "missing", count: 0 });
    expect(faultOf(text, "x".repeat(5_002))).toEqual({ label: "tooLong", count: 2 });
    expect(faultOf(choice, { other: "" })).toEqual({ label: "missingOther", count: 0 });
    expect(faultOf(choices, ["a"])).toEqual({ label: "atLeast", count: 2 });
    expect(faultOf(choices, ["none"])).toBeUndefined();
    expect(faultOf(choices, ["a", "b", "c", { other: "x" }])).toEqual({ label: "atMost", count: 3 });
    expect(faultOf({ ...scale, required: true }, 0)).toBeUndefined();
  });
});

describe("keys", () => {
  const press = (key: string, more: object = {}) => ({
    ...{ key, keyCode: 0, isComposing: false, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false },
    ...more,
  });

  it("move in the reading direction", () => {
    const moves = (isRightToLeft: boolean) =>
      ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"].map((key) => {
        const action = keyAction(press(key), "radio", isRightToLeft);
        return action?.do === "move" ? action.by : undefined;
      });
    expect(moves(false)).toEqual([-1, 1, -1, 1]);
    expect(moves(true)).toEqual([1, -1, -1, 1]);
  });

  it("are the field's in a field, the button's on a button, and nobody's while a character is composed", () => {
    for (const focused of ["line", "lines"] as const)
      for (const key of ["1", "ArrowLeft", "x"]) expect(keyAction(press(key), focused, false)).toBeUndefined();
    expect(keyAction(press("Enter"), "line", false)).toEqual({ do: "enter" });
    expect(keyAction(press("Enter"), "lines", false)).toBeUndefined();
    expect(keyAction(press("Enter", { ctrlKey: true }), "lines", false)).toEqual({ do: "enter" });
    expect(keyAction(press("Enter"), "button", false)).toBeUndefined();
    expect(keyAction(press("1"), "button", false)).toEqual({ do: "digit", digit: "1" });
    for (const more of [{ isComposing: true }, { keyCode: 229 }, { altKey: true }])
      expect(keyAction(press("Enter", more), "radio", false)).toBeUndefined();
    expect(keyAction(press("1", { ctrlKey: true }), "radio", false)).toBeUndefined();
  });

  it("typed inside stay inside, but for those of the page and the browser", () => {
    for (const key of ["x", "1", "Enter", "ArrowUp", " "]) expect(staysInside(press(key))).toBe(true);
    for (const key of ["Escape", "Tab"]) expect(staysInside(press(key))).toBe(false);
    expect(staysInside(press("k", { metaKey: true }))).toBe(false);
    expect(staysInside(press("Enter", { ctrlKey: true }))).toBe(false);
  });

  it("type a point of more than one digit, and begin anew where there is none", () => {
    const points = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    expect(typeDigit("", "1", points)).toBe("1");
    expect(typeDigit("1", "0", points)).toBe("10");
    expect(typeDigit("1", "1", points)).toBe("1");
    expect(typeDigit("10", "7", points)).toBe("7");
    expect(typeDigit("", "0", points.slice(1))).toBe("");
  });
});

it("a preview has what its author has not written yet", () => {
  const preview = {
    title: "T",
    questions: [{ kind: "choice", title: "Q", options: [{ label: "A" }, {}] }, { kind: "scale" }],
  };
  const { questions, ...survey } = previewOf(preview);
  expect(survey).toMatchObject({ title: "T", thanks: "", editable: true, response: null });
  expect(questions).toMatchObject([
    {
      id: "q1",
      required: false,
      showIf: null,
      options: [
        { id: "o1", label: "A" },
        { id: "o2", label: "" },
      ],
    },
    { id: "q2", from: 1, to: 5 },
  ]);
  expect(previewOf({}).questions).toEqual([]);
});
