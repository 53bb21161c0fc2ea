/** A table. On a phone, each row of a list is a block, and a table of figures is scrolled. */
import type { Child } from "hono/jsx";

/** A column's name; that of numbers, or one that only a screen reader says. */
type Column = string | { readonly number: string } | { readonly unseen: string };

type Props = {
  readonly columns: readonly Column[];
  readonly look?: "list" | "list activity" | "operations";
  /** The rows come in bodies of their own. */
  readonly isGrouped?: boolean;
  readonly children?: Child;
};

export const Table = ({ columns, look = "list", isGrouped = false, children }: Props) => (
  <div class={look === "operations" ? "table" : "stacks"}>
    <table class={look}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head column={column} />
          ))}
        </tr>
      </thead>
      {isGrouped ? children : <tbody>{children}</tbody>}
    </table>
  </div>
);

const Head = ({ column }: { readonly column: Column }) => {
  if (typeof column === "string") return <th scope="col">{column}</th>;
  if ("unseen" in column)
    return (
      <th scope="col">
        <span class="unseen">{column.unseen}</span>
      </th>
    );
  return (
    <th scope="col" class="number">
      {column.number}
    </th>
  );
};
