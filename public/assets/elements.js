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

/** What is shown now: the element, or a launcher with the element inside. */
function arrange(element, display) {
  for (const each of [...preview.querySelectorAll("idea-bank-board, idea-bank-roadmap, idea-bank-changelog")]) {
    const isShown = each.localName === `idea-bank-${element}`;
    const parent = each.parentElement;
    const isLaunched = parent !== preview;
    each.hidden = !isShown;
    if (isShown && display && !isLaunched) {
      const launcher = document.createElement("idea-bank-launcher");
      each.replaceWith(launcher);
      launcher.append(each);
    } else if (isLaunched && !(isShown && display)) parent.replaceWith(each);
    if (isShown && display) each.parentElement.toggleAttribute("inline", display === "inline");
  }
}

function apply() {
  const { element, display, scheme, accent, radius, direction, language } = Object.fromEntries(new FormData(controls));
  const styles = {
    "color-scheme": scheme,
    "--idea-bank-accent": accent,
    "--idea-bank-radius": radius,
  };
  arrange(element, display);
  preview.dataset.display = display;
  for (const shown of preview.children) {
    shown.dir = direction;
    if (language) shown.lang = language;
    else shown.removeAttribute("lang");
    for (const [name, value] of Object.entries(styles)) shown.style.setProperty(name, value);
  }
  preview.style.colorScheme = scheme;
  const name = display ? "launcher" : element;
  // A roadmap is made of the board.
  const scripts = [display && "launcher", element === "roadmap" && "board", element]
    .filter(Boolean)
    .map(tag)
    .join("\n");
  const rules = Object.entries(styles).filter(([, value]) => value !== "");
  const css = rules.map(([property, value]) => `    ${property}: ${value};\n`).join("");
  const style = css && `\n\n<style>\n  idea-bank-${name} {\n${css}  }\n</style>`;
  const attributes = `${direction === "rtl" ? ' dir="rtl"' : ""}${language ? ` lang="${language}"` : ""}`;
  const history = element === "changelog" ? "" : " history";
  const inner = `<idea-bank-${element} token="${document.documentElement.dataset.snippetToken ?? "ibv_…"}"${history}${display ? "" : attributes}></idea-bank-${element}>`;
  const inline = display === "inline" ? " inline" : "";
  snippet.textContent = display
    ? `${scripts}\n<idea-bank-launcher${inline}${attributes}>\n  ${inner}\n</idea-bank-launcher>${style}`
    : `${scripts}\n${inner}${style}`;
}

controls.addEventListener("change", apply);
apply();

fetch("/embed/releases.json")
  .then((response) => response.json())
  .then(({ latest: version, releases }) => {
    if (releases[version] === undefined) return;
    document.getElementById("version").textContent = `release ${version}`;
    latest = { version, integrity: releases[version] };
    apply();
  });
