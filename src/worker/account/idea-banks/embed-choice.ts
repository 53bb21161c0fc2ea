/** What the lines for a website have: chosen on the page, from its address. */
import * as z from "zod/mini";
import type { IdeaBank } from "../../model/idea-bank.ts";

export const ELEMENTS = {
  board: "Board",
  changelog: "Changelog",
  roadmap: "Roadmap",
  launcher: "Button that opens the changelog",
} as const;
export type ElementName = keyof typeof ELEMENTS;

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

/** A text that a line of HTML can carry is taken, anything else is as if it were not there. */
const Choice = z.object({
  signIn: z.catch(z.string().check(z.regex(/^(?:https:\/\/|\/)[^\s"'<>`]{0,500}$/)), ""),
  lang: z.catch(z.enum(Object.keys(LANGUAGES)), ""),
  color: z.catch(z.string().check(z.regex(/^#[\da-f]{6}$/i)), ""),
  radius: z.catch(z.string().check(z.regex(/^\d{1,2}$/)), ""),
});

export type EmbedChoice = z.infer<typeof Choice> & { readonly elements: readonly ElementName[] };

/** What is switched off is not handed out. */
export const elementsOf = ({ changelogEnabled, internal }: IdeaBank): readonly ElementName[] =>
  (Object.keys(ELEMENTS) as ElementName[]).filter((name) =>
    name === "changelog" || name === "launcher" ? changelogEnabled : !internal,
  );

export function readChoice(parameters: URLSearchParams, ideaBank: IdeaBank): EmbedChoice {
  const possible = elementsOf(ideaBank);
  const asked = parameters.getAll("elements");
  return {
    ...Choice.parse(Object.fromEntries(parameters)),
    elements: possible.filter((name) =>
      asked.length === 0 ? name === "board" || name === "changelog" : asked.includes(name),
    ),
  };
}

/** The style of the elements, as their attribute has it; undefined for their own. */
export function styleOf({ color, radius }: EmbedChoice): string | undefined {
  const parts = [color && `--idea-bank-accent: ${color}`, radius && `--idea-bank-radius: ${radius}px`].filter(Boolean);
  return parts.length === 0 ? undefined : parts.join("; ");
}
