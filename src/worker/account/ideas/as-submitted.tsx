/** What the author of an idea wrote, beside what the team made of it. */
import type { Submitted } from "../../database/proposals/proposals.ts";
import { Formatted } from "../frame/formatted.tsx";

export const AsSubmitted = ({ submitted: { title, description } }: { readonly submitted: Submitted }) => (
  <section aria-labelledby="submitted">
    <h2 id="submitted">As submitted</h2>
    <p>
      <strong dir="auto">{title}</strong>
    </p>
    <Formatted text={description} />
  </section>
);
