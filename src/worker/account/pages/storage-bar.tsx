/** How full the account's storage is. */
import type { Storage } from "../../model/account.ts";
import { bytesInWords } from "./key-words.ts";

/** From here on the bar changes its colour. */
const NEARLY_FULL = 0.8;

export const StorageBar = ({ storage: { usedBytes, maxBytes } }: { storage: Storage }) => {
  const words = `${bytesInWords(usedBytes)} of ${bytesInWords(maxBytes)} used`;
  const isFull = usedBytes >= maxBytes;
  return (
    <section aria-labelledby="storage">
      <h2 id="storage">Storage</h2>
      <meter
        aria-labelledby="storage"
        aria-describedby="storage-hint"
        max={maxBytes}
        high={maxBytes * NEARLY_FULL}
        optimum={0}
        value={usedBytes}
      >
        {words}
      </meter>
      <p id="storage-hint" class={isFull ? "error" : "hint"}>
        {`${words}. `}
        {isFull
          ? "The storage is full: what would store more is refused. Reading, deleting and revoking still work."
          : "Surveys, panelists, idea banks, proposals, comments and votes count."}
      </p>
    </section>
  );
};
