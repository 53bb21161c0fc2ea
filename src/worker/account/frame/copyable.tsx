/** A text to copy. The button appears where JavaScript runs; without it, one click selects the text. */
export const Copyable = ({ id, label, text }: { id: string; label: string; text: string }) => (
  <div class="copyable">
    <code id={id}>{text}</code>
    <button type="button" data-copy={id} aria-label={`Copy the ${label}`} hidden>
      Copy
    </button>
  </div>
);
