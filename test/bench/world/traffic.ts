/** When requests come, and for what: the same in every run of the same size. */

import { Random, zipf } from "../../support/random.ts";
import { PLACES } from "./latencies.ts";

/** `at` is in milliseconds from the start. `target` is an index: of an idea bank, or of a key. */
export type Arrival = {
  readonly at: number;
  readonly place: number;
  readonly target: number;
  readonly leaver: boolean;
};
export type Write = { readonly at: number; readonly target: number };

/** How far the busiest hour is above the mean, and the quietest below it. */
const SWING = 0.8;
/** Of the requests for an idea bank, this share is of the panelist who leaves at half time. */
const LEAVER = 0.1;

/** A day of requests by local time, compressed. */
export function arrivals(seconds: number, requests: number, targets: number, alike: boolean): Arrival[] {
  const random = new Random(1);
  const draw = alike ? () => random.below(targets) : zipf(targets, random);
  return Array.from({ length: requests }, () => {
    for (;;) {
      const [share, place] = [random.next(), random.below(PLACES.length)];
      const hour = share + (PLACES[place]?.longitude ?? 0) / 360;
      const rate = 1 + SWING * Math.sin(2 * Math.PI * (hour - 0.3));
      if (random.next() * (1 + SWING) > rate) continue;
      return { at: share * seconds * 1_000, place, target: draw(), leaver: random.next() < LEAVER };
    }
  }).toSorted((one, other) => one.at - other.at);
}

/** Changes, evenly over the day. */
export function changes(seconds: number, writes: number, targets: number): Write[] {
  const random = new Random(2);
  const draw = zipf(targets, random);
  return Array.from({ length: writes }, (_, index) => ({
    at: ((index + random.next()) / writes) * seconds * 1_000,
    target: draw(),
  }));
}
