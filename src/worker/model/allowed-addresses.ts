/** The addresses from which an API key may be used, as CIDR blocks. Pure. */
import * as z from "zod/mini";
import { isInBlock, parseAddress, parseBlock } from "./address.ts";

/** Null allows every address. */
export type AllowedAddresses = readonly string[] | null;

export const MAX_BLOCKS = 64;

const Block = z.string({ error: "must be a string" }).check(
  z.trim(),
  z.toLowerCase(),
  z.refine((text) => parseBlock(text) !== undefined, {
    error: "must be an address or a CIDR block without bits after its prefix, such as 203.0.113.0/24 or 2001:db8::/32",
  }),
);

export const Blocks = z
  .array(Block, { error: "must be a list of addresses and CIDR blocks, or null" })
  .check(
    z.minLength(1, { error: "must name at least one block; null allows every address" }),
    z.maxLength(MAX_BLOCKS, { error: `must name at most ${MAX_BLOCKS} blocks` }),
  );

/** Whether an address is allowed. A missing or unreadable address is in no list. */
export function addressFilter(allowed: AllowedAddresses | undefined): (address: string | null) => boolean {
  if (allowed == null) return () => true;
  const blocks = allowed.flatMap((text) => parseBlock(text) ?? []);
  return (text) => {
    const address = text === null ? undefined : parseAddress(text);
    return address !== undefined && blocks.some((block) => isInBlock(address, block));
  };
}
