/** A problem, as a page for people. */
import type { FieldError } from "../../http/invalid-request.ts";
import { type Problem, type ProblemCode, problemDocument } from "../../problem.ts";
import { type Frame, Layout } from "./layout.tsx";

/** Where the status in words says little. */
const TITLES: Partial<Record<ProblemCode, string>> = {
  "api-key-limit-reached": "Revoke a key to create another",
  conflict: "Nothing was changed",
  "invalid-request": "The form was refused",
  "method-not-allowed": "This page cannot do that",
  "not-found": "Not found",
};

export const ProblemPage = ({ frame, problem }: { frame: Frame; problem: Problem }) => {
  const { title, detail } = problemDocument(problem);
  const errors = (problem.extensions.errors ?? []) as readonly FieldError[];
  return (
    <Layout title={TITLES[problem.code] ?? title} {...frame}>
      <div class="notice bad" role="alert" tabindex={-1} autofocus>
        {errors.length === 0 ? <p>{detail}</p> : errors.map(({ path, message }) => <p>{`${path} ${message}`}</p>)}
      </div>
      {frame.email && (
        <p>
          <a href="/account/api-keys">Back to API keys</a>
        </p>
      )}
    </Layout>
  );
};
