/** The way from a list to the file of it. */
import { useMayExport } from "./frame.ts";

/** `to`: the page of the export, with its filter. */
export const ExportLink = ({ to, what }: { readonly to: string; readonly what: "people" | "voters" }) =>
  useMayExport(what) && (
    <p class="hint">
      <a href={to}>{`Export ${what}…`}</a>
    </p>
  );
