/** What was just done. It takes the focus; the script removes from the page's address what says so. */
import type { Child } from "hono/jsx";

export const Success = ({ children }: { readonly children?: Child }) => (
  <p class="notice good" role="status" tabindex={-1} autofocus data-done>
    {children}
  </p>
);
