/** The version of the elements. A released version never changes: the next change needs the next number. */
export const ELEMENTS_VERSION = "1.1.2";
