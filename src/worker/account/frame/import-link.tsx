import { useMay } from "./frame.ts";

export const IMPORT = "/account/import";

type Props = { readonly board?: string | undefined; readonly back: string };

/** Stands where ideas are added one by one, and where a board is set up. */
export const ImportLink = ({ board, back }: Props) =>
  useMay("member") && <a href={`${IMPORT}?${new URLSearchParams({ ...(board && { board }), back })}`}>Import ideas</a>;
