/** What proposals are called and tagged, and what is looked for: few words, so that much is found. */
import { pickFrom } from "../actors.ts";

const WORDS = ["Night", "Buses", "Trains", "Ferry", "Quiet", "Seats", "Café", "Map"];
const TAGS = ["Mobile", "R&D", "Größe"];

/** One to three words. */
export const titleOf = (draw: number): string =>
  [0, 3, 6]
    .slice(0, 1 + (draw % 3))
    .map((bits) => pickFrom(WORDS, draw >> bits))
    .join(" ");

export const tagsOf = (draw: number): readonly string[] => TAGS.filter((_, index) => (draw >> index) % 2 === 1);

/** A parameter of a list: as people type, without care for case and accents. */
export const tagQuery = (draw: number): string => `tag=${encodeURIComponent(pickFrom(TAGS, draw) ?? "")}`;
export const searchQuery = (name: "q" | "title", draw: number): string => {
  const text = titleOf(draw >> 1);
  const typed = draw % 2 === 0 ? text : text.normalize("NFD").replaceAll(/\p{M}/gu, "").toUpperCase();
  return `${name}=${encodeURIComponent(typed)}`;
};
