// The page of the elements: what the visitor chooses is shown live, and in the snippet.

const controls = document.getElementById("controls");
const preview = document.getElementById("stage");
const snippet = document.getElementById("snippet");
let latest;

function tag(name) {
  const integrity = latest?.integrity[`${name}.js`];
  const source = latest
    ? `${location.origin}/embed/${latest.version}/${name}.js`
    : `${location.origin}/embed/${name}.js`;
  return `<script type="module" src="${source}"${integrity ? `\n  integrity="${integrity}" crossorigin` : ""}></script>`;
}

function apply() {
  const { element, scheme, accent, radius, direction } = Object.fromEntries(new FormData(controls));
  const styles = {
    "color-scheme": scheme,
    "--idea-bank-accent": accent,
    "--idea-bank-radius": radius,
  };
  for (const shown of preview.children) {
    shown.hidden = shown.localName !== `idea-bank-${element}`;
    shown.dir = direction;
    for (const [name, value] of Object.entries(styles)) shown.style.setProperty(name, value);
  }
  preview.style.colorScheme = scheme;
  const rules = Object.entries(styles).filter(([, value]) => value !== "");
  const css = rules.map(([name, value]) => `    ${name}: ${value};\n`).join("");
  const style = css && `\n\n<style>\n  idea-bank-${element} {\n${css}  }\n</style>`;
  const rtl = direction === "rtl" ? ' dir="rtl"' : "";
  snippet.textContent = `${tag(element)}\n<idea-bank-${element} token="ibt_…"${rtl}></idea-bank-${element}>${style}`;
}

controls.addEventListener("change", apply);
apply();

fetch("/embed/releases.json")
  .then((response) => response.json())
  .then(({ latest: version, releases }) => {
    document.getElementById("version").textContent = version;
    latest = { version, integrity: releases[version] };
    apply();
  });
