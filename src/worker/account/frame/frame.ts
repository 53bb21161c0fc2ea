/** What every part of a page may ask for: the time, the owner, the deployment's name. */
import { createContext, useContext } from "hono/jsx";
import type { Brand } from "../../model/brand.ts";

/**
 * `account` is the address of the account's creator, if it is not the visitor's own account. `signOut`: how the visitor can end the
 * session. `waiting`: how many ideas wait for approval, counted up to `MAX_WAITING`.
 */
export type Frame = {
  /** When the page is made, in Unix milliseconds. */
  readonly now: number;
  readonly nonce: string;
  readonly brand: Brand;
  readonly email?: string;
  readonly account?: string;
  readonly signOut?: "here" | "at Access";
  readonly waiting?: number;
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
