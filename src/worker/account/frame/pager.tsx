/** The way to the next page of a list. `next`: its address; undefined on the last page. */
type Props = { readonly next: string | undefined; readonly label?: string };

export const Pager = ({ next, label = "Older" }: Props) =>
  next && (
    <p>
      <a href={next}>{label}</a>
    </p>
  );
