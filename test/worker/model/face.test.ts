/** A name as initials: what fits into a circle. */
import { expect, it } from "vitest";
import { faceOf } from "../../../src/worker/model/face.ts";

it.each([
  ["Robin Kim", "RK"],
  ["  Ana María de la Cruz ", "AC"],
  ["Robin", "R"],
  ["Ольга Котова", "ОК"],
  // One of them is as wide as two letters.
  ["山田 太郎", "山"],
  ["山田太郎", "山"],
  ["さくら もも", "さ"],
  ["ヤマダ タロウ", "ヤ"],
  ["김 민수", "김"],
  ["王 小明", "王"],
  ["🎉 Party", "🎉"],
  ["", ""],
])("%j is drawn as %j", (name, initials) => {
  expect(faceOf(name).initials).toBe(initials);
});
