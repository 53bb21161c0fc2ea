/** What a token says of itself (pure): whose it is, and when it ends. The token is not verified here. */

type Owner = { readonly bank: string; readonly panelist: string };

/** Of a token that the tenant's own server has signed: a JWT. Throws for any other. */
function claimsOf(token: string) {
  const claims = token.split(".")[1] ?? "";
  return JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/")));
}

/** By the part of the token that does not change with each issue. */
export function ownerOf(token: string): Owner {
  try {
    const { iss, sub } = claimsOf(token);
    return { bank: iss, panelist: sub };
  } catch {
    return { bank: token.slice(4, 16), panelist: token.slice(16, 28) };
  }
}

/** In Unix milliseconds; NaN where the token does not say it. */
export function endOf(token: string): number {
  try {
    return claimsOf(token).exp * 1000;
  } catch {
    return Number.NaN;
  }
}
