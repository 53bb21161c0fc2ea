/** The map that holds an isolate's memory: against a list in the order of use. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BoundedMap } from "../../../src/worker/memory/bounded-map.ts";

const MAX = 10;
const key = fc.constantFrom("a", "b", "c", "d", "e");
const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("get", "peek", "delete"), key }),
  fc.record({ kind: fc.constant("set"), key, weight: fc.integer({ min: 0, max: MAX + 1 }) }),
);

type Entry = { readonly key: string; readonly weight: number };

/** The rule by brute force: a list, oldest use first. */
class Reference {
  entries: Entry[] = [];
  readonly dropped: Entry[] = [];

  find = (key: string) => this.entries.find((entry) => entry.key === key);

  use(key: string): void {
    const entry = this.find(key);
    if (entry) this.entries = [...this.entries.filter((each) => each !== entry), entry];
  }

  delete(key: string): void {
    const entry = this.find(key);
    if (entry) this.dropped.push(entry);
    this.entries = this.entries.filter((each) => each !== entry);
  }

  set(key: string, weight: number): void {
    if (weight > MAX) {
      this.delete(key);
      return;
    }
    this.entries = [...this.entries.filter((entry) => entry.key !== key), { key, weight }];
    const sum = () => this.entries.reduce((total, entry) => total + entry.weight, 0);
    for (let oldest = this.entries[0]; oldest && sum() > MAX; oldest = this.entries[0]) this.delete(oldest.key);
  }
}

describe("the bounded map", () => {
  it("holds, drops and tells what a list in the order of use would, after any steps", { tags: "slow" }, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const reference = new Reference();
        const dropped: Entry[] = [];
        const map = new BoundedMap<Entry>({
          max: MAX,
          weigh: ({ weight }) => weight,
          onDrop: (entry, key) => dropped.push({ ...entry, key }),
        });
        for (const each of steps) {
          if ("weight" in each) {
            reference.set(each.key, each.weight);
            map.set(each.key, { key: each.key, weight: each.weight });
          } else if (each.kind === "get") {
            expect(map.get(each.key)).toEqual(reference.find(each.key));
            reference.use(each.key);
          } else if (each.kind === "peek") {
            expect(map.peek(each.key)).toEqual(reference.find(each.key));
          } else {
            reference.delete(each.key);
            map.delete(each.key);
          }
          expect([...map.keys()].sort()).toEqual(reference.entries.map((entry) => entry.key).sort());
          expect(dropped).toEqual(reference.dropped);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("counts entries when nothing says what they weigh, and forgets all when it is cleared", () => {
    const map = new BoundedMap<number>({ max: 2 });
    for (const [index, each] of ["a", "b", "c"].entries()) map.set(each, index);
    expect([...map.keys()]).toEqual(["b", "c"]);
    map.clear();
    map.set("d", 4);
    expect([...map.keys()]).toEqual(["d"]);
  });
});
