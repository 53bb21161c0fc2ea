/** An export, as the activity says it. */
import type { AuditEvent } from "../../model/audit-event.ts";
import { number } from "../frame/words.ts";
import { filtersInWords } from "../ideas/queue-filters.tsx";
import { PEOPLE } from "../people/people-page.tsx";

export const ExportedInWords = ({ event: { changes } }: { readonly event: AuditEvent }) => {
  const { exported, filter, rows, panelistId } = changes?.after ?? {};
  if (exported === "person")
    return (
      <p>
        Exported what is stored of person{" "}
        <a href={`${PEOPLE}/${panelistId}`}>
          <code>{panelistId}</code>
        </a>
      </p>
    );
  return (
    <>
      <p>{`Exported ${exported}: ${number(rows ?? 0)} ${rows === 1 ? "row" : "rows"}`}</p>
      {filter && <p class="hint">{`Filter: ${filtersInWords(filter)}`}</p>}
    </>
  );
};
