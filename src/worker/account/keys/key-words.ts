/** A key's scopes and limit in words. */
import type { AllowedAddresses } from "../../model/allowed-addresses.ts";
import type { Region } from "../../model/api-key.ts";
import { SCOPES, type Scope } from "../../model/scope.ts";

/** The scopes of each noun, each with the permission that it gives. */
export const SCOPE_GROUPS: readonly { readonly noun: string; readonly scopes: readonly [Scope, string][] }[] = [
  {
    noun: "Surveys",
    scopes: [
      ["surveys:read", "List and read surveys"],
      ["surveys:write", "Create, change and delete surveys"],
    ],
  },
  {
    noun: "Boards",
    scopes: [
      ["ideabanks:read", "List and read boards, ideas and comments"],
      ["ideabanks:write", "Create, change and delete boards, ideas and comments"],
    ],
  },
  {
    noun: "People",
    scopes: [
      ["panelists:read", "List and read people and their votes"],
      ["panelists:write", "Add, change and delete people; issue and revoke their tokens"],
    ],
  },
];

/** "Surveys: read. Panelists: read, write." */
export function scopesInWords(scopes: readonly Scope[]): string {
  if (scopes.length === SCOPES.length) return "All";
  return SCOPE_GROUPS.map(({ noun, scopes: known }) => {
    const actions = known.filter(([scope]) => scopes.includes(scope)).map(([scope]) => scope.split(":")[1]);
    return actions.length === 0 ? "" : `${noun}: ${actions.join(", ")}. `;
  })
    .join("")
    .trim();
}

/** "Germany". The names are loaded at their first use, because that takes 12 ms. */
export const countryInWords = (country: string): string =>
  country === "T1" ? "Tor" : (new Intl.DisplayNames("en", { type: "region" }).of(country) ?? country);

const REGION_WORDS: Readonly<Record<Region, string>> = {
  wnam: "Western North America",
  enam: "Eastern North America",
  sam: "South America",
  weur: "Western Europe",
  eeur: "Eastern Europe",
  apac: "Asia-Pacific",
  oc: "Oceania",
  afr: "Africa",
  me: "Middle East",
};

export const regionInWords = (region: Region | null): string => (region === null ? "Automatic" : REGION_WORDS[region]);

const BINARY = ["bytes", "KiB", "MiB", "GiB"];

/** "1.3 MiB". */
export function bytesInWords(bytes: number): string {
  const power = bytes === 0 ? 0 : Math.min(BINARY.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toLocaleString("en", { maximumFractionDigits: power === 0 ? 0 : 1 })} ${BINARY[power]}`;
}

export const addressesInWords = (allowed: AllowedAddresses): string => allowed?.join(", ") ?? "Any";
