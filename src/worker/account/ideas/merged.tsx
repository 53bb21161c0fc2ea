/** The ideas that were merged into an idea, and what was said there: its comments stay where they were posted. */
import { Formatted } from "../frame/formatted.tsx";
import { Time } from "../frame/times.tsx";
import { counted, IDEA_VISIBILITIES } from "../frame/words.ts";
import { NAMELESS } from "./comments.tsx";
import type { IdeaProps } from "./idea-facts.tsx";

type Props = Pick<IdeaProps, "merged" | "mergedComments"> & { readonly bank: string };

export const Merged = ({ merged, mergedComments, bank }: Props) =>
  merged.length > 0 && (
    <section aria-labelledby="merged">
      <h2 id="merged">Merged into this idea</h2>
      <ul>
        {merged.map(({ id, title }) => {
          const comments = mergedComments.filter(({ proposalId }) => proposalId === id);
          return (
            <li>
              <a href={`${bank}/ideas/${id}`}>
                <bdi>{title}</bdi>
              </a>
              {comments.length > 0 && (
                <details>
                  <summary>{counted(comments.length, "comment")}</summary>
                  <ol class="events">
                    {comments.map(({ by, author, body, visibility, createdAt }) => (
                      <li>
                        <p class="hint">
                          <bdi>{by === "tenant" ? "Your team" : (author ?? NAMELESS)}</bdi>
                          {" · "}
                          <Time at={createdAt} />
                          {visibility !== "public" && <span class="pill warn">{IDEA_VISIBILITIES[visibility][0]}</span>}
                        </p>
                        <Formatted text={body} />
                      </li>
                    ))}
                  </ol>
                </details>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
