/** The way from the queue to the files of it. */
import { IDEAS } from "./opened-idea.ts";
import { type QueueQuery, toParameters } from "./queue-filters.tsx";

type LinksProps = { readonly query: QueueQuery; readonly board: string | undefined; readonly here: string };

/** Of the queue as it is filtered, and of the comments of the same boards. */
export const ExportLinks = ({ query, board, here }: LinksProps) => {
  const ideas = toParameters({ ...query, board });
  const comments = new URLSearchParams({ ...(board && { board }) });
  for (const each of [ideas, comments]) each.set("back", here);
  return (
    <p class="hint">
      <a href={`${IDEAS}/export?${ideas}`}>Export ideas…</a>
      {" · "}
      <a href={`/account/comments/export?${comments}`}>Export comments…</a>
    </p>
  );
};
