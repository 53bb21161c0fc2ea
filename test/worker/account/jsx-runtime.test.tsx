/** JSX is text, and whatever a page is given is escaped in it. */
import { describe, expect, it } from "vitest";
import type { Child } from "../../../src/worker/account/frame/jsx-runtime.ts";

const HOSTILE = `"><script>alert('x')</script>&amp;`;
const ESCAPED = "&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;";
const Named = ({ name, children }: { name: string; children?: Child }) => (
  <p title={name}>
    {name}: {children}
  </p>
);
const text = (child: Child) => String(child);

describe("an element", () => {
  it("escapes what is in it and in its attributes, whoever made that", () => {
    expect(text(<b title={HOSTILE}>{HOSTILE}</b>)).toBe(`<b title="${ESCAPED}">${ESCAPED}</b>`);
    expect(text(<Named name={HOSTILE}>{[HOSTILE, <i>{HOSTILE}</i>]}</Named>)).toBe(
      `<p title="${ESCAPED}">${ESCAPED}: ${ESCAPED}<i>${ESCAPED}</i></p>`,
    );
  });

  it("takes text that looks like markup for text, and an object that only prints markup for none", () => {
    const forged = { toString: () => "<script>" };
    expect(text(<b>{String(<i>x</i>)}</b>)).toBe("<b>&lt;i&gt;x&lt;/i&gt;</b>");
    // @ts-expect-error
    expect(text(<b>{forged}</b>)).toBe("<b>&lt;script&gt;</b>");
    expect(() => <b title={forged} />).toThrow("title is no text");
  });

  it("shows nothing for null, undefined and booleans, and numbers as they are", () => {
    expect(text(<b>{[null, undefined, true, false, 0, ""]}</b>)).toBe("<b>0</b>");
    expect(text(<input value={0} disabled checked={false} name={undefined} />)).toBe('<input value="0" disabled=""/>');
  });

  it("has no end tag where HTML has none, and a fragment has no tag at all", () => {
    expect(
      text(
        <>
          <br />
          <p />
        </>,
      ),
    ).toBe("<br/><p></p>");
  });
});
