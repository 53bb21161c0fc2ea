/**
 * The place in the list: how many ideas were shown, and which one the visitor was at. The tab keeps it with the entry of its history, so a
 * reload and Back lead there again, and a new visit begins at the top. A browser without the Navigation API keeps none.
 */
import { recall, remember } from "../shared/storage.ts";

type Place = { readonly count: number; readonly idea: string };

export const NOWHERE: Place = { count: 0, idea: "" };

const keyOf = (who: string): string | undefined => {
  const key = window.navigation?.currentEntry?.key;
  return key && `idea-bank-place:${key} ${who}`;
};

export function keepPlace(who: string, { count, idea }: Place): void {
  const key = keyOf(who);
  if (key) remember(key, `${count} ${idea}`, "sessionStorage");
}

export function recallPlace(who: string): Place {
  const key = keyOf(who);
  const [count, idea = ""] = (key && recall(key, "sessionStorage"))?.split(" ") ?? [];
  return { count: Number(count) || 0, idea };
}
