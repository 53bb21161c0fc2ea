/** What every part of a page may ask for: the time, the owner, the deployment's name. */
import { createContext, useContext } from "hono/jsx";
import type { Waiting } from "../../database/proposals/pending-proposals.ts";
import type { Brand } from "../../model/brand.ts";
import type { Exported } from "../../model/export.ts";
import { may, mayExport, type Needs, type Standing } from "../../model/role.ts";

/**
 * `account` is the address of the account's creator, if it is not the visitor's own account. `signOut`: how the visitor can end the
 * session. `waiting`: how many ideas and comments wait for approval, each counted up to `MAX_WAITING`. `standing`: what the visitor is in the account; undefined
 * where that could not be read.
 */
export type Frame = {
  /** When the page is made, in Unix milliseconds. */
  readonly now: number;
  readonly nonce: string;
  readonly brand: Brand;
  readonly email?: string;
  readonly account?: string;
  readonly signOut?: "here" | "at Access";
  readonly waiting?: Waiting;
  readonly standing?: Standing;
  /** The session ends by itself at this time (Unix milliseconds). `signIn`: where the visitor can sign in again. */
  readonly signInEnds?: { readonly at: number; readonly isNear: boolean; readonly signIn: string | undefined };
};

/** `renderPage` provides it. No component is asynchronous, so a page is rendered whole before another one begins. */
export const FrameContext = createContext<Frame | undefined>(undefined);

export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (frame === undefined) throw new Error("a part of a page was rendered outside of renderPage");
  return frame;
}

/** Whether the visitor may open or do what needs this role: for links and buttons. What is refused is decided elsewhere (identity/role.ts). */
export function useMay(needs: Needs): boolean {
  const { standing } = useFrame();
  return standing === undefined || may(standing.role, needs);
}

/** Whether the page offers this file to the visitor. */
export function useMayExport(what: Exported): boolean {
  const { standing } = useFrame();
  return standing === undefined || mayExport(standing, what);
}
