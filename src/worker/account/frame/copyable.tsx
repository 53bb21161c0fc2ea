/** A text to copy. `button` is what the button says, if that is enough to know what it copies. The button appears where JavaScript runs; without it, one click selects the text. */
export const Copyable = ({ id, label, text, button }: { id: string; label: string; text: string; button?: string }) => (
  <div class="copyable">
    <code id={id}>{text}</code>
    <button type="button" data-copy={id} aria-label={button ? undefined : `Copy the ${label}`} hidden>
      {button ?? "Copy"}
    </button>
  </div>
);
