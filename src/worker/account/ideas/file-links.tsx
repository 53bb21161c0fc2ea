/** The ways from the queue to files: of ideas as it is filtered, of the comments of the same boards, and the way in. */
import { ImportLink } from "../frame/import-link.tsx";
import { IDEAS } from "./opened-idea.ts";
import { type QueueQuery, toParameters } from "./queue-filters.tsx";

type LinksProps = {
  readonly query: QueueQuery;
  readonly board: string | undefined;
  readonly here: string;
  /** Beside the title there is room for two, on a wide window; all of them stand below the list. */
  readonly isBeside?: boolean;
};

export const FileLinks = ({ query, board, here, isBeside = false }: LinksProps) => {
  const ideas = toParameters({ ...query, board });
  const comments = new URLSearchParams({ ...(board && { board }) });
  for (const each of [ideas, comments]) each.set("back", here);
  return (
    <span class={isBeside ? "hint files beside" : "hint files"}>
      <ImportLink board={board} back={here} />
      <a href={`${IDEAS}/export?${ideas}`}>Export ideas…</a>
      {!isBeside && <a href={`/account/comments/export?${comments}`}>Export comments…</a>}
    </span>
  );
};
