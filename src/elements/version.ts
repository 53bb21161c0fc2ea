/** The version of the elements. A released version never changes: the next change gets the number of the product's next release. */
export const ELEMENTS_VERSION = "1.2.0";
