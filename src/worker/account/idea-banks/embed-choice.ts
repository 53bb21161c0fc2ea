/** What the lines for a website have: chosen on the page, from its address. */
import type { FieldError } from "../../http/invalid-request.ts";
import type { IdeaBank } from "../../model/idea-bank.ts";

export const ELEMENTS = {
  board: "Board",
  changelog: "Changelog",
  roadmap: "Roadmap",
  survey: "Survey",
  launcher: "Button that opens the changelog",
} as const;
type ElementName = keyof typeof ELEMENTS;

export const LANGUAGES: Readonly<Record<string, string>> = {
  en: "English",
  de: "Deutsch",
  fr: "Français",
  es: "Español",
  it: "Italiano",
  pt: "Português",
  nl: "Nederlands",
  pl: "Polski",
  tr: "Türkçe",
  ar: "العربية",
  ja: "日本語",
  zh: "中文",
};

/** The elements' own color, which a line need not name. A color field always has a color. */
export const OWN_COLOR = "#2a4fd0";

/** What a line of HTML can carry, and what is said of anything else. */
const RULES = {
  signIn: [/^(?:(?:https:\/\/|\/)[^\s"'<>`]{0,500})?$/, "must begin with https:// or /, without spaces or quotes"],
  lang: [new RegExp(`^(?:${Object.keys(LANGUAGES).join("|")})?$`), "must be one of the list"],
  theme: [/^(?:light|dark)?$/, "must be one of the list"],
  color: [/^(?:#[\da-f]{6})?$/i, "must look like #2a4fd0"],
  radius: [/^(?:[0-3]?\d|40)?$/, "must be a number from 0 to 40"],
} as const;
type Option = keyof typeof RULES;

/** `errors` has the options that were refused. The lines are made without them. */
export type EmbedChoice = Readonly<Record<Option, string>> & {
  readonly elements: readonly ElementName[];
  readonly errors: readonly FieldError[];
};

/** What is switched off is not handed out. */
export const elementsOf = ({ changelogEnabled, internal, surveysEnabled }: IdeaBank): readonly ElementName[] => {
  const isOn: Record<ElementName, boolean> = {
    ...{ board: !internal, changelog: changelogEnabled, roadmap: !internal },
    ...{ survey: surveysEnabled, launcher: changelogEnabled },
  };
  return (Object.keys(ELEMENTS) as ElementName[]).filter((name) => isOn[name]);
};

/** What is chosen before anybody has. */
function usualOf(possible: readonly ElementName[]): readonly ElementName[] {
  const usual = possible.filter((name) => name === "board" || name === "changelog");
  return usual.length > 0 ? usual : possible.slice(0, 1);
}

export function readChoice(parameters: URLSearchParams, ideaBank: IdeaBank): EmbedChoice {
  const possible = elementsOf(ideaBank);
  // The form always has one, so that none at all can be chosen.
  const asked = parameters.getAll("elements");
  const given = (name: Option) => parameters.get(name)?.trim() ?? "";
  const refused = (Object.keys(RULES) as Option[]).filter((name) => !RULES[name][0].test(given(name)));
  const taken = (name: Option) => (refused.includes(name) || given(name) === OWN_COLOR ? "" : given(name));
  return {
    ...{
      signIn: taken("signIn"),
      lang: taken("lang"),
      theme: taken("theme"),
      color: taken("color"),
      radius: taken("radius"),
    },
    errors: refused.map((name) => ({ path: name, message: RULES[name][1] })),
    elements: asked.length === 0 ? usualOf(possible) : possible.filter((name) => asked.includes(name)),
  };
}

/** The style of the elements, as their attribute has it; undefined for their own. */
export function styleOf({ color, radius }: EmbedChoice): string | undefined {
  const parts = [color && `--idea-bank-accent: ${color}`, radius && `--idea-bank-radius: ${radius}px`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join("; ");
}
