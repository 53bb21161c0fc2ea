/**
 * IP addresses and CIDR blocks (RFC 4291, 4632), as 128 bits. An IPv4 address is the IPv6 address that maps it (`::ffff:1.2.3.4`),
 * so both spellings are one. Pure.
 */

/** `first` is the block's first address; `bits` is the length of its prefix. */
type Block = { readonly first: bigint; readonly bits: number };

const WIDTH = 128;
const MAPPED_BITS = 96;
const MAPPED = 0xffffn;
/** The longest text of an address with a prefix: eight groups, the last two as IPv4. */
const MAX_LENGTH = 49;

/** Undefined for any other text, and for an address with a zone (`%eth0`), which means nothing on another machine. */
export function parseAddress(text: string): bigint | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  if (!text.includes(":")) {
    const v4 = parseV4(text);
    return v4 === undefined ? undefined : (MAPPED << 32n) | v4;
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map(toGroups);
  if (head.includes(undefined) || tail.includes(undefined)) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  // Only the last 32 bits of an address may be written as IPv4.
  if (halves.length === 2 && halves[0]?.includes(".")) return undefined;
  return [...head, ...new Array<bigint>(missing).fill(0n), ...tail].reduce<bigint>(
    (address, group) => (address << 16n) | (group ?? 0n),
    0n,
  );
}

/** A single address is a block of one. Undefined for any other text, and for a block with bits after its prefix. */
export function parseBlock(text: string): Block | undefined {
  const [written = "", length, ...more] = text.split("/");
  const first = parseAddress(written);
  if (first === undefined || more.length > 0) return undefined;
  const width = written.includes(":") ? WIDTH : 32;
  if (length !== undefined && (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > width)) return undefined;
  const bits = length === undefined ? WIDTH : WIDTH - width + Number(length);
  return isInBlock(first, { first, bits }) && first === prefixOf(first, bits) ? { first, bits } : undefined;
}

/** `::/0` means every IPv6 address. So a block that is wider than all of IPv4 contains no IPv4 address. */
export const isInBlock = (address: bigint, { first, bits }: Block): boolean =>
  prefixOf(address, bits) === first && (bits >= MAPPED_BITS || address >> 32n !== MAPPED);

const prefixOf = (address: bigint, bits: number): bigint => {
  const rest = BigInt(WIDTH - bits);
  return (address >> rest) << rest;
};

/** The groups of one side of `::`; an empty side has none. */
const toGroups = (side: string): (bigint | undefined)[] =>
  side === ""
    ? []
    : side.split(":").flatMap((group, index, { length }) => {
        if (/^[0-9a-f]{1,4}$/i.test(group)) return [BigInt(`0x${group}`)];
        const v4 = index === length - 1 ? parseV4(group) : undefined;
        return v4 === undefined ? [undefined] : [v4 >> 16n, v4 & 0xffffn];
      });

/** Reads four decimal numbers. A leading zero is refused, because some programs read such a number as octal. */
function parseV4(text: string): bigint | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})(?:\.|$)){4}$/.test(text) || text.endsWith(".")) return undefined;
  const parts = text.split(".").map(Number);
  return parts.every((part) => part <= 255) ? parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) : undefined;
}

/** The first 24 bits of an IPv4 address, or 48 of an IPv6 one, as a CIDR block. Undefined for any other text. */
export function networkOf(text: string): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return undefined;
  if (address >> 32n === MAPPED) return `${[24n, 16n, 8n].map((bits) => (address >> bits) & 0xffn).join(".")}.0/24`;
  const groups = [112n, 96n, 80n].map((bits) => ((address >> bits) & 0xffffn).toString(16)).join(":");
  // The zeros at the end are part of the `::` (RFC 5952).
  return `${groups.replace(/(^|:)0(:0)*$/, "")}::/48`;
}

/**
 * The part of an address that identifies one client: the whole of IPv4, the first 64 bits of IPv6, because a client has all
 * addresses below those.
 */
export function clientOf(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return "";
  return (address >> 32n === MAPPED ? address : address >> 64n).toString(36);
}
