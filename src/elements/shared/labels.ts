/** The words of an element: in the page's language, unless the page gives its own. */

/** By plural category of the visitor's language (`Intl.PluralRules`); `{count}` stands for the number. */
export type Plural = { readonly other: string } & Partial<Record<Intl.LDMLPluralRule, string>>;
export type Labels = Readonly<Record<string, string | Plural>>;

/** `{title}` and the like stand in braces. A label that is the same for every number may be one string. */
export class Words<Known extends Labels> {
  readonly #own: Partial<Known>;
  readonly #labels: Labels;
  readonly locale: string;
  /** Times are dates: a page is kept, and "2 minutes ago" would soon be false. An element that takes it over says them as it did. */
  dated = false;

  /** `defaults` are English. */
  constructor(defaults: Known, own: Partial<Known>, locale: string) {
    this.#own = own;
    // A name may come from an answer: "constructor" is no label.
    this.#labels = Object.assign(Object.create(null), defaults, own);
    this.locale = locale;
  }

  /** In place of the English ones. */
  translate(labels: Labels | undefined): void {
    Object.assign(this.#labels, labels, this.#own);
  }

  /** Empty for a name that has no label. */
  say(name: (keyof Known & string) | (string & {}), values: Readonly<Record<string, string | number>> = {}): string {
    const label = this.#labels[name] ?? "";
    const text = typeof label === "string" ? label : (label[this.#plural(values.count)] ?? label.other);
    return text.replace(/\{(\w+)\}/g, (placeholder, key: string) => {
      const value = values[key];
      return typeof value === "number" ? this.number(value) : (value ?? placeholder);
    });
  }

  number(value: number, options: Intl.NumberFormatOptions = {}): string {
    return value.toLocaleString(this.locale, options);
  }

  /** For a small box: from 100,000 on "123K". */
  short(value: number): string {
    return this.number(value, value < 100_000 ? {} : { notation: "compact" });
  }

  date(time: Date, options: Intl.DateTimeFormatOptions = { dateStyle: "medium" }): string {
    return time.toLocaleString(this.locale, options);
  }

  #plural(count: string | number | undefined): Intl.LDMLPluralRule {
    return new Intl.PluralRules(this.locale).select(Number(count));
  }
}
