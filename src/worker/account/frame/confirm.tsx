/** Asks before something is done that cannot be undone. */
type ConfirmProps = {
  readonly says: string;
  /** The buttons, each with what it does. */
  readonly buttons: readonly (readonly [does: string, label: string])[];
  /** What is folded out. */
  readonly summary?: string;
  /** Where it is sent, when it is not part of a form already. */
  readonly action?: string;
};

/** Folded among a page's actions. */
export const Confirm = ({ action, summary = "Delete…", ...props }: ConfirmProps) => (
  <details>
    <summary class="danger">{summary}</summary>
    {action === undefined ? (
      <Asked {...props} />
    ) : (
      <form method="post" action={action} class="actions">
        <Asked {...props} />
      </form>
    )}
  </details>
);

const Asked = ({ says, buttons }: Pick<ConfirmProps, "says" | "buttons">) => {
  const shown = buttons.map(([does, label]) => (
    <button type="submit" name="do" value={does} class="danger">
      {label}
    </button>
  ));
  return (
    <>
      <p>{says}</p>
      {shown.length > 1 ? <p class="buttons">{shown}</p> : shown}
    </>
  );
};

type ConfirmFormProps = {
  readonly action: string;
  readonly label: string;
  /** What the button does, where its page has several. */
  readonly does?: string;
  /** The page to which "Cancel" leads. */
  readonly cancel: string;
};

/** At the end of a page that asks. */
export const ConfirmForm = ({ action, label, does, cancel }: ConfirmFormProps) => (
  <form method="post" action={action} class="confirm">
    <button type="submit" {...(does && { name: "do", value: does })} class="danger">
      {label}
    </button>
    <a href={cancel}>Cancel</a>
  </form>
);
