/** Whether the visitor sees the page. An `<img name="visibilityState">` in the page hides the document's own property. */
export const isVisible = (): boolean => Reflect.get(Document.prototype, "visibilityState", document) === "visible";
