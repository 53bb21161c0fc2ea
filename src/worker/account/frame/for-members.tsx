/** What a lesser role reads nothing of, or reads as text: forms that change something, and links to pages that it cannot open. */
import type { Child } from "hono/jsx";
import type { Needs } from "../../model/role.ts";
import { useMay } from "./frame.ts";

export const ForMembers = ({ children }: { readonly children?: Child }) => useMay("member") && children;

type LinkForProps = { readonly needs: Needs; readonly href: string; readonly children?: Child };

/** A link for this role, text for the others. */
export const LinkFor = ({ needs, href, children }: LinkForProps) =>
  useMay(needs) ? <a href={href}>{children}</a> : <span>{children}</span>;
