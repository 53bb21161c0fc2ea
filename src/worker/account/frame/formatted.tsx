/** A text with light formatting, as the elements show it. */
import type { Child } from "hono/jsx";
import { type Block, type Inline, parseText } from "../../model/light-formatting.ts";

/** What the parser understands, for the hint at a field. */
export const FORMATS = "**bold**, *italic*, `code`, lists, > quotes and [links](https://example.com) work.";

export const Formatted = ({ text }: { readonly text: string }) => (
  <div class="formatted" dir="auto">
    {parseText(text).map((block) => (
      <Part block={block} />
    ))}
  </div>
);

const Part = ({ block }: { readonly block: Block }) => {
  switch (block.kind) {
    case "paragraph":
      return <p>{inLines(block.lines)}</p>;
    case "quote":
      return <blockquote>{inLines(block.lines)}</blockquote>;
    case "bullets":
      return <ul>{inItems(block.items)}</ul>;
    case "numbers":
      return <ol start={block.start}>{inItems(block.items)}</ol>;
  }
};

const inLines = (lines: readonly (readonly Inline[])[]) =>
  lines.map((parts, index) => (
    <>
      {index > 0 && <br />}
      {parts.map(inline)}
    </>
  ));

const inItems = (items: readonly (readonly Inline[])[]) => items.map((parts) => <li>{parts.map(inline)}</li>);

function inline(part: Inline): Child {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "bold":
      return <strong>{part.parts.map(inline)}</strong>;
    case "italic":
      return <em>{part.parts.map(inline)}</em>;
    case "link":
      return (
        <a href={part.href} rel="nofollow ugc noopener">
          {part.parts.map(inline)}
        </a>
      );
  }
}
