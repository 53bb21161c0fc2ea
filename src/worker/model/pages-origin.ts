/** Where boards' public pages are: on the host of PAGES_HOST, or on the one that everything else is on. Pure. */

/** Letters as DNS has them, and a port. */
const HOST = /^[a-z\d-]+(\.[a-z\d-]+)*(:\d+)?$/;

/** As a request's URL has it: in lower case, an international name in Punycode. Undefined for what is empty or no host. */
export function toPagesHost(setting: string | undefined): string | undefined {
  const address = `https://${setting?.trim()}`;
  if (!setting?.trim() || /[/\\?#@]/.test(setting) || !URL.canParse(address)) return undefined;
  const { host } = new URL(address);
  return HOST.test(host) ? host : undefined;
}

/** `https://ideas.example.com`. A host on the developer's machine has no certificate, so it keeps the request's scheme. */
export function pagesOriginOf(
  { PAGES_HOST }: { readonly PAGES_HOST?: string | undefined },
  requestUrl: string,
): string {
  const { origin, protocol } = new URL(requestUrl);
  const host = toPagesHost(PAGES_HOST);
  if (host === undefined) return origin;
  return /(^|\.)localhost(:|$)/.test(host) ? `${protocol}//${host}` : `https://${host}`;
}
