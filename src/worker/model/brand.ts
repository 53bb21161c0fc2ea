/** The name, icon and color under which a deployment shows itself to account owners. */
import * as z from "zod/mini";

/** `iconUrl` is an address of this host (`/assets/…`) or `https://…`. `color` is `#rrggbb`, or null for our own. */
export type Brand = { readonly name: string; readonly iconUrl: string; readonly color: string | null };

const OWN: Brand = { name: "Idea boards", iconUrl: "/assets/icon.svg", color: null };

/** WCAG 2.2, success criterion 1.4.3: for text of normal size. */
const LEAST_CONTRAST = 4.5;

/** The relative luminance of WCAG 2.2, from 0 (black) to 1 (white). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** From 1 to 21. White text is on the color, and links have the color on white. */
const contrastWithWhite = (color: string): number => 1.05 / (luminance(color) + 0.05);

/** Text that may be empty. `faultOf` says what is wrong with it otherwise. */
const orEmpty = (faultOf: (text: string) => string | undefined) =>
  z.string().check(({ value, issues }) => {
    const fault = value.trim() === "" ? undefined : faultOf(value.trim());
    if (fault !== undefined) issues.push({ code: "custom", input: value, message: fault });
  });

/** The variables of a deployment. A fault names the value, because none is a secret. */
export const BRAND_VARIABLES = {
  BRAND_NAME: z.optional(orEmpty((name) => (name.length > 60 ? "has at most 60 characters" : undefined))),
  BRAND_ICON_URL: z.optional(
    orEmpty((url) =>
      /^(?:https:\/\/[^\s"'<>;,]+|\/[\w./-]+)$/.test(url)
        ? undefined
        : `${JSON.stringify(url)} is neither https://… nor a path of this host`,
    ),
  ),
  BRAND_COLOR: z.optional(orEmpty(faultOfColor)),
};

function faultOfColor(color: string): string | undefined {
  if (!/^#[\da-f]{6}$/i.test(color)) return `${JSON.stringify(color)} is not a color like #2450c8`;
  const contrast = contrastWithWhite(color);
  if (contrast >= LEAST_CONTRAST) return undefined;
  return `${color} has a contrast of ${contrast.toFixed(2)} : 1 with white, and needs ${LEAST_CONTRAST} : 1`;
}

/** Each may be missing or empty. */
export type BrandVariables = {
  readonly BRAND_NAME?: string | undefined;
  readonly BRAND_ICON_URL?: string | undefined;
  readonly BRAND_COLOR?: string | undefined;
};

/** From validated variables. */
export const toBrand = ({ BRAND_NAME, BRAND_ICON_URL, BRAND_COLOR }: BrandVariables): Brand => ({
  name: BRAND_NAME?.trim() || OWN.name,
  iconUrl: BRAND_ICON_URL?.trim() || OWN.iconUrl,
  color: BRAND_COLOR?.trim() || OWN.color,
});
