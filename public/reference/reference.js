/* global Redoc */
// The page of the reference: the document with a request sample for curl and one for fetch, in the visitor's colors.

const LIGHT = {
  text: "#171a21",
  soft: "#525a6b",
  card: "#f6f7fa",
  line: "#d5d9e0",
  accent: "#2a4fd0",
  good: "#0d6337",
  warning: "#7a4d00",
  bad: "#a11218",
};
const DARK = {
  text: "#eceef3",
  soft: "#a3abbb",
  card: "#181b22",
  line: "#3a3f4b",
  accent: "#a3b8ff",
  good: "#7fdcab",
  warning: "#f0c174",
  bad: "#ff9d97",
};

const HEADERS = {
  apiKey: { "X-API-Key": "ibk_…" },
  compoundToken: { Authorization: "ibt_…" },
  accessClientId: { "CF-Access-Client-Id": "….access", "CF-Access-Client-Secret": "…" },
  operator: { Authorization: "Bearer …" },
};

/** What a developer would paste. Path parameters are the document's examples. */
function samplesOf(path, method, operation) {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(
    /\{(\w+)\}/g,
    (_, name) => parameters.find((known) => known.name === name)?.example ?? name,
  );
  const url = `${location.origin}${filled}`;
  const credentials = Object.keys(operation.security?.[0] ?? {}).flatMap((name) => Object.entries(HEADERS[name] ?? {}));
  const body = operation.requestBody?.content["application/json"]?.example;
  const verb = method.toUpperCase();

  const curl = [
    `curl ${url}`,
    ...(verb === "GET" || (verb === "POST" && body) ? [] : [`-X ${verb}`]),
    ...credentials.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body ? [`--json '${JSON.stringify(body).replaceAll("'", "'\\''")}'`] : []),
  ];
  const headers = Object.fromEntries([...credentials, ...(body ? [["Content-Type", "application/json"]] : [])]);
  const lines = [
    ...(verb === "GET" ? [] : [`  method: "${verb}",`]),
    `  headers: ${JSON.stringify(headers)},`,
    ...(body ? [`  body: JSON.stringify(${JSON.stringify(body)}),`] : []),
  ];
  const hasAnswer = Object.entries(operation.responses).some(([status, { content }]) => status < 300 && content);
  const read = hasAnswer ? "\nconsole.log(await response.json());" : "";
  return [
    { lang: "Shell", label: "curl", source: curl.join(" \\\n  ") },
    {
      lang: "JavaScript",
      label: "fetch",
      source: `const response = await fetch("${url}", {\n${lines.join("\n")}\n});${read}`,
    },
  ];
}

function optionsFor({ text, soft, card, line, accent, good, warning, bad }) {
  const response = (color, onDark) => ({ color, backgroundColor: card, tabTextColor: onDark });
  return {
    nativeScrollbars: true,
    pathInMiddlePanel: true,
    expandResponses: "200,201",
    sortRequiredPropsFirst: true,
    theme: {
      colors: {
        primary: { main: accent },
        success: { main: good },
        warning: { main: warning },
        error: { main: bad },
        text: { primary: text, secondary: soft },
        border: { dark: line, light: line },
        responses: {
          success: response(good, DARK.good),
          error: response(bad, DARK.bad),
          redirect: response(warning, DARK.warning),
          info: response(accent, DARK.accent),
        },
        // White words on them, in light and dark.
        http: {
          get: "#0d6337",
          post: "#1b4ba8",
          put: "#7a4d00",
          patch: "#5b2fb0",
          delete: "#a11218",
        },
      },
      schema: {
        linesColor: line,
        typeNameColor: soft,
        typeTitleColor: soft,
        requireLabelColor: bad,
        nestedBackground: card,
      },
      typography: {
        fontSize: "15px",
        fontFamily: "system-ui, sans-serif",
        headings: { fontFamily: "system-ui, sans-serif", fontWeight: "650" },
        code: { color: text, backgroundColor: card, fontFamily: "ui-monospace, monospace" },
        links: { color: accent, visited: accent, hover: accent },
      },
      sidebar: { backgroundColor: card, textColor: text, activeTextColor: accent },
      rightPanel: { backgroundColor: "#171a21", textColor: DARK.text },
      codeBlock: { backgroundColor: "#0f1116" },
    },
  };
}

const container = document.getElementById("reference");
const dark = matchMedia("(prefers-color-scheme: dark)");
// The renderer takes its colors once.
dark.addEventListener("change", () => location.reload());

/** The renderer's captions are headings three levels down from what they caption. */
function finish() {
  document.getElementById("opening").remove();
  for (const caption of container.querySelectorAll("h5")) caption.ariaLevel = "3";
  // In the menu, a group is no item: it names the items below it.
  for (const group of container.querySelectorAll('li[data-item-id^="group/"]')) {
    const list = group.querySelector("ul");
    list.role = "group";
    list.ariaLabel = group.ariaLabel;
    group.role = "none";
    group.ariaLabel = null;
    group.ariaExpanded = null;
    group.removeAttribute("tabindex");
  }
}

fetch("/openapi.json")
  .then((response) => response.json())
  .then((openapi) => {
    for (const [path, methods] of Object.entries(openapi.paths)) {
      for (const [method, operation] of Object.entries(methods)) {
        operation["x-codeSamples"] = samplesOf(path, method, operation);
      }
    }
    Redoc.init(openapi, optionsFor(dark.matches ? DARK : LIGHT), container, finish);
  });
