/** Where a link to a page of the desk can stand, as browsers tell it. */
import { ORIGIN } from "./owner.ts";

export const ELSEWHERE: readonly Record<string, string>[] = [
  { "Sec-Fetch-Site": "cross-site", Referer: "https://evil.example/" },
  { "Sec-Fetch-Site": "cross-site" },
  // Typed, a bookmark, an e-mail.
  { "Sec-Fetch-Site": "none" },
  // In what a customer wrote, and on a board's own page.
  { "Sec-Fetch-Site": "same-origin" },
  { "Sec-Fetch-Site": "same-origin", Referer: `${ORIGIN}/b/board` },
  { "Sec-Fetch-Site": "same-origin", Referer: `${ORIGIN}/accounts` },
  // A browser that says nothing else.
  { Referer: "https://evil.example/account/" },
];
export const HERE = { "Sec-Fetch-Site": "same-origin", Referer: `${ORIGIN}/account/ideas?q=a` };
