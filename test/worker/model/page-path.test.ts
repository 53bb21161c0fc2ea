/** The addresses of a board's public page, with names in any script. */
import { describe, expect, it } from "vitest";
import { ideaPathOf, pagePathOf } from "../../../src/worker/model/page-path.ts";

const slugOf = (name: string) =>
  decodeURIComponent(pagePathOf({ id: "b4nKb4nKb4nK", name }).slice("/b/b4nKb4nKb4nK".length));

describe("the address of a board's page", () => {
  it.each([
    ["Riverline rider ideas", "/riverline-rider-ideas"],
    ["  What's new?  You’ll see! ", "/whats-new-youll-see"],
    ["Ideen für Köln & Łódź", "/ideen-fur-koln-łodz"],
    ["İstanbul", "/istanbul"],
    ["ﬁle №5 ½", "/file-no5-1-2"],
    ["أفكار للتطبيق", "/أفكار-للتطبيق"],
    ["می‌خواهم", "/میخواهم"],
    ["רעיונות לאפליקציה", "/רעיונות-לאפליקציה"],
    ["产品建议 2027", "/产品建议-2027"],
    ["ご意見ボックス", "/ご意見ボックス"],
    ["アイデア・ボード", "/アイデア-ボード"],
    ["아이디어 게시판", "/아이디어-게시판"],
    ["Идеи для йоги", "/идеи-для-йоги"],
    ["Ιδέες για την πόλη", "/ιδέες-για-την-πόλη"],
    ["हिन्दी विचार", "/हिन्दी-विचार"],
    ["ความคิดเห็น", "/ความคิดเห็น"],
    ["🚲 Bikes 🚲", "/bikes"],
    ["a/../b?c#d%2f", "/a-b-c-d-2f"],
  ])("has the words of %s", (name, slug) => expect(slugOf(name)).toBe(slug.normalize("NFC")));

  it.each(["🚲🎉", "1️⃣".slice(1), "?!…", " ", "\u0301"])(
    "is the identifier alone where nothing of %j is a word",
    (name) => expect(pagePathOf({ id: "b4nKb4nKb4nK", name })).toBe("/b/b4nKb4nKb4nK"),
  );

  it("is ASCII", () =>
    expect(pagePathOf({ id: "b4nKb4nKb4nK", name: "建议" })).toBe("/b/b4nKb4nKb4nK/%E5%BB%BA%E8%AE%AE"));

  it("has at most 60 characters of a name, and ends with a whole word", () => {
    expect(slugOf(`${"word ".repeat(11)}and-more`)).toBe(`/${"word-".repeat(11)}and`);
    expect([...slugOf("建".repeat(100))]).toHaveLength(61);
    expect([...slugOf("𐐷".repeat(100))]).toHaveLength(61);
  });

  it("stays the same when it is read and made again", () => {
    const slug = slugOf("Ideen für Köln – ご意見 हिन्दी").slice(1);
    expect(slugOf(slug)).toBe(`/${slug}`);
  });
});

describe("the address of an idea's page", () => {
  it("is below the board's", () =>
    expect(ideaPathOf({ id: "b4nKb4nKb4nK", name: "Rider ideas" }, "1deA1deA1deA")).toBe(
      "/b/b4nKb4nKb4nK/rider-ideas/ideas/1deA1deA1deA",
    ));

  it("has a dash for a name without words", () =>
    expect(ideaPathOf({ id: "b4nKb4nKb4nK", name: "🚲" }, "1deA1deA1deA")).toBe(
      "/b/b4nKb4nKb4nK/-/ideas/1deA1deA1deA",
    ));
});
