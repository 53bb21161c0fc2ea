/* global Redoc */
Redoc.init(
  "/openapi.json",
  {
    nativeScrollbars: true,
    hideDownloadButton: false,
    pathInMiddlePanel: true,
    expandResponses: "200,201",
    theme: { typography: { fontFamily: "system-ui, sans-serif", headings: { fontFamily: "system-ui, sans-serif" } } },
  },
  document.getElementById("reference"),
);
