/** The addresses in texts that people write: where they end, which host they lead to, and which names say that they lead elsewhere. */

/** Nobody uses a longer address. */
const LONGEST = 2_000;
/** These belong to the sentence around the link. */
const ENDS_SENTENCE = ".,;:!?'’…*_~]}";

/**
 * A part of a host has at most 63 characters, and a host 253. Reading a longer one takes time that grows with the square of its length,
 * when it is in Unicode.
 */
function canHaveHost(address: string): boolean {
  const [host = ""] = address.replace(/^\w+:[\\/]*/, "").split(/[\\/?#]/, 1);
  return host.length <= 300 && host.split(".").every(({ length }) => length <= 63);
}

/** Without `www.`. Undefined for what is no address. */
function hostOf(address: string): string | undefined {
  if (!canHaveHost(address) || !URL.canParse(address)) return undefined;
  const { hostname, pathname } = new URL(address);
  // An e-mail address has no host, but its domain.
  return (hostname || afterAt(pathname)).replace(/^www\./, "");
}

const afterAt = (text: string): string => text.slice(text.lastIndexOf("@") + 1);

/** The part of a found address that is the link; undefined for text that only looks like one. */
export function linkIn(found: string): string | undefined {
  if (found.length > LONGEST) return undefined;
  let end = found.length;
  // A closing bracket belongs to the address only where its opening one does.
  let unopened = found.split(")").length - found.split("(").length;
  for (; end > 0; end -= 1) {
    const last = found.charAt(end - 1);
    if (last === ")" && unopened > 0) unopened -= 1;
    else if (!ENDS_SENTENCE.includes(last)) break;
  }
  const url = found.slice(0, end);
  return hostOf(url) === undefined ? undefined : url;
}

/** Nobody gives a link a longer name. */
const LONGEST_NAME = 500;
/** No domain ends so: names of files and of programs are no addresses. */
const FILE = /\.(?:[jt]sx?|json|css|html?|xml|ya?ml|csv|txt|log|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|webp|mp[34])$/;
const DOMAIN = /^(?:[^.]+\.)+\p{L}[\p{L}\p{M}\p{N}-]+$|^\d+\.\d+\.\d+\.\d+$/u;

/**
 * Whether the name of a link is true: each of its words that looks like an address must name the link's host. A word looks like one with
 * `://` after its first letters, or when one of its parts between slashes has a domain or an IP address in it; the first such part
 * counts. A domain is two or more labels with dots between them, the last of at least two letters, unless it ends as a file does.
 * Letters count as they look (NFKC), and those that nobody sees do not.
 */
export function isTrueName(name: string, address: string): boolean {
  if (name.length > LONGEST_NAME) return false;
  const host = hostOf(address);
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{C}\p{DI}]/gu, "")
    .replaceAll("\\", "/")
    .split(/\s+/)
    .every((word) => hostsIn(word).every((said) => host !== undefined && hostOf(`http:${said}`) === host));
}

/** The hosts that a word seems to lead to. */
function hostsIn(word: string): readonly string[] {
  const [, scheme, rest = ""] = /^[^\p{L}\p{N}]*([a-z][a-z\d+-]*:\/*)?(.*)/u.exec(word) ?? [];
  const isAddress = scheme?.endsWith("/");
  const hosts = rest.split(/[/?#]+/).map((part) =>
    // Before the `@` of an e-mail address is a person. Before that of another address can be the name of any host.
    (
      (!scheme || scheme === "mailto:" ? afterAt(part) : part)
        .replace(/:\d*$/, "")
        .match(/[\p{L}\p{N}\p{M}_.-]+/gu) ?? [""]
    )
      .map((run) => run.replace(/^\.+|\.$/g, ""))
      .filter((run) => isAddress || (DOMAIN.test(run) && !FILE.test(run))),
  );
  return hosts.find(({ length }) => length > 0) ?? [];
}
