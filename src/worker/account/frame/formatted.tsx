/** A text with light formatting, as the elements show it. */
import type { Child } from "hono/jsx";
import { type Block, type Inline, parseText } from "../../model/light-formatting.ts";

/** What the parser understands, for the hint at a field. */
export const FORMATS = "Markdown works.";

export const Formatted = ({ text }: { readonly text: string }) => (
  <div class="formatted" dir="auto">
    {parseText(text).map((block) => (
      <Part block={block} />
    ))}
  </div>
);

const Part = ({ block }: { readonly block: Block }) => {
  if ("items" in block) {
    const items = block.items.map((parts) => <li>{parts.map(inline)}</li>);
    return block.kind === "ul" ? <ul>{items}</ul> : <ol start={block.start}>{items}</ol>;
  }
  const lines = inLines(block.lines);
  switch (block.kind) {
    case "p":
      return <p>{lines}</p>;
    case "pre":
      return <pre>{lines}</pre>;
    case "blockquote":
      return <blockquote>{lines}</blockquote>;
  }
};

const inLines = (lines: readonly (readonly Inline[])[]) =>
  lines.map((parts, index) => (
    <>
      {index > 0 && <br />}
      {parts.map(inline)}
    </>
  ));

function inline(part: Inline): Child {
  switch (part.kind) {
    case "text":
      return part.text;
    case "code":
      return <code>{part.text}</code>;
    case "strong":
      return <strong>{part.parts.map(inline)}</strong>;
    case "em":
      return <em>{part.parts.map(inline)}</em>;
    case "a":
      return (
        <a href={part.href} rel="nofollow ugc noopener noreferrer">
          {part.parts.map(inline)}
        </a>
      );
  }
}
