/** Around what a viewer reads nothing of: the forms that change something. */
import type { Child } from "hono/jsx";
import { useMay } from "./frame.ts";

export const ForMembers = ({ children }: { readonly children?: Child }) => useMay("member") && children;
