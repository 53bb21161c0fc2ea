/** Where an e-mail's link leads to a page of Account Settings. Pure. */

/**
 * If owners sign in at Account Settings itself, the link leads straight to the page. Any other sign-in page gets it as `returnTo`, as from
 * the page that says "You're signed out".
 */
export function deskAddressOf(page: string, signInUrl: string): string {
  const url = new URL(signInUrl);
  if (url.protocol === "https:" && /^\/account(\/|$)/.test(url.pathname)) return new URL(page, url).href;
  url.searchParams.set("returnTo", page);
  return url.href;
}
