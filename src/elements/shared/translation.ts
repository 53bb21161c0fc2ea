/** The words of the page's language, which are in a file beside the script. */
import type { Labels } from "./labels.ts";

/** `labels` by the names of the elements. */
export type Translation = {
  readonly direction?: string;
  readonly labels?: Readonly<Record<string, Labels>>;
};

/** English is in the script. A region's words are those of its language. */
export const TRANSLATED = /^(?:ar|de|es|fr|it|ja|nl|pl|pt|tr|zh)\b/;

/** Then English is shown. */
const DEADLINE_MS = 4_000;

/** Without any words where there are none in this language, or they could not be loaded. Never rejects. */
export async function loadTranslation(locale: string): Promise<Translation> {
  try {
    const [name] = TRANSLATED.exec(locale) ?? [];
    const options = { signal: AbortSignal.timeout(DEADLINE_MS) };
    return name ? await (await fetch(new URL(`${name}.json`, import.meta.url), options)).json() : {};
  } catch {
    return {};
  }
}
