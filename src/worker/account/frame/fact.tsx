/** A line of a `<dl>`. */
import type { Child } from "./jsx-runtime.ts";

export const Fact = ({ name, children }: { name: string; children?: Child }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
