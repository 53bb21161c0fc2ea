/** How a request looks to a key's owner: where it comes from, and what it says that it is. */
import { Dice } from "../dice.ts";
import type { Source } from "../world/random.ts";

const PROGRAMS = ["crm-sync/2.1", "curl/8.5.0", "Mozilla/5.0 (X11; Linux x86_64)", `a-long-name/${"1.".repeat(70)}`];
/** None is in a list of allowed addresses that an owner gives. */
const PLACES: readonly ((least: number) => string)[] = [
  (last) => `192.0.2.${last}`,
  (last) => `203.0.113.${last}`,
  (last) => `::ffff:203.0.114.${last}`,
  (last) => `2001:db8:12:${last}::7`,
  (last) => `2001:db8:13::${last}`,
];

/** The headers of a request. Most differ from each other. */
export function appearanceOf(source: Source): Readonly<Record<string, string>> {
  const dice = new Dice(source.of("appearance"));
  const program = dice.chance(0.1) ? undefined : `${dice.number(1, 1_000)} ${dice.of(PROGRAMS)}`;
  const country = dice.chance(0.1) ? undefined : dice.of(["DE", "FR", "BR", "T1"]);
  return {
    "cf-connecting-ip": dice.of(PLACES)(dice.number(1, 250)),
    ...(country !== undefined && { "cf-ipcountry": country }),
    ...(program !== undefined && { "user-agent": program }),
  };
}
