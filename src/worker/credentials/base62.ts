/** Base62 in fixed widths: each text has exactly one value, and a double-click selects a whole credential. */

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The number of digits that a safe integer can hold. Longer values are encoded in groups of this width. */
const GROUP_WIDTH = 8;
const GROUP = 62n ** BigInt(GROUP_WIDTH);

/** Returns random bytes: from the platform's `crypto.getRandomValues`, or from a fixed source in a test. */
export type RandomBytes = (length: number) => Uint8Array;

export const secureRandomBytes: RandomBytes = (length) => crypto.getRandomValues(new Uint8Array(length));

/** The number in exactly `width` digits. Throws a RangeError when it does not fit. */
export function encodeBase62(value: number, width: number): string {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 62 ** width) {
    throw new RangeError(`${value} does not fit ${width} base62 digits`);
  }
  let text = "";
  let rest = value;
  while (text.length < width) {
    text = ALPHABET.charAt(rest % 62) + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

/** The value of the digits. The caller has checked that `text` is base62 and short enough for a safe integer. */
export function decodeBase62(text: string): number {
  let value = 0;
  for (const digit of text) value = value * 62 + ALPHABET.indexOf(digit);
  return value;
}

/** The first 128 bits of a digest, reduced to `width` digits: up to 17 digits keep 101 bits, with a bias below 2^-26. */
export function digestToBase62(digest: ArrayBuffer, width: number): string {
  const view = new DataView(digest);
  let rest = (view.getBigUint64(0) << 64n) | view.getBigUint64(8);
  let text = "";
  while (text.length < width) {
    text = encodeBase62(Number(rest % GROUP), GROUP_WIDTH) + text;
    rest /= GROUP;
  }
  return text.slice(-width);
}

/** `width` uniformly random digits, 5.95 bits each. Bytes of 248 and more are discarded: they would make some digits more likely. */
export function randomBase62(width: number, random: RandomBytes): string {
  let text = "";
  while (text.length < width) {
    for (const byte of random(width - text.length)) {
      if (byte < 248) text += ALPHABET.charAt(byte % 62);
    }
  }
  return text;
}
