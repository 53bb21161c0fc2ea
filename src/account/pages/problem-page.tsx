/** A problem, as a page. */
import { type Problem, problemDocument } from "../../problem.ts";
import { type Frame, Layout } from "./layout.tsx";

export const ProblemPage = ({ frame, problem }: { frame: Frame; problem: Problem }) => {
  const { title, detail } = problemDocument(problem);
  return (
    <Layout title={title} {...frame}>
      <p class="notice bad" role="alert">
        {detail}
      </p>
      {frame.email && (
        <p>
          <a href="/account/api-keys">Back to API keys</a>
        </p>
      )}
    </Layout>
  );
};
