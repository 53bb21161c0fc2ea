// The page's samples name this deployment. Without this script they name a placeholder.
for (const code of document.querySelectorAll(".samples code")) {
  if (code.textContent.includes("https://api.example.com"))
    code.textContent = code.textContent.replaceAll("https://api.example.com", location.origin);
}

// The search field filters operations, schemas, credentials and errors. All words must be there, each as a part of a word.
const field = document.querySelector("#search");
const contents = document.querySelector(".contents");
const sections = document.querySelectorAll("main section");
const items = Array.from(document.querySelectorAll("main article, main dt"), (start) => {
  const isTerm = start.matches("dt");
  // Not what it answers: nearly every operation has the same errors.
  const texts = isTerm
    ? [start, start.nextElementSibling]
    : start.querySelectorAll("h3, p:not(.answer), th[scope='row']");
  return {
    elements: isTerm ? [start, start.nextElementSibling] : [start],
    text: [start.id, ...Array.from(texts, (each) => each.textContent)].join(" ").toLowerCase(),
  };
});
const isHidden = (element) => element.closest("[hidden]") !== null;

function filter() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let matches = 0;
  for (const { elements, text } of items) {
    const isMatch = words.every((word) => text.includes(word));
    if (isMatch) matches += 1;
    for (const element of elements) element.hidden = !isMatch;
  }
  for (const section of sections)
    section.hidden = Array.from(section.querySelectorAll("article, dt")).every((item) => item.hidden);
  for (const link of contents.querySelectorAll("a"))
    link.closest("li").hidden = isHidden(document.getElementById(link.hash.slice(1)));
  for (const group of contents.querySelectorAll("span")) {
    const entry = group.closest("li");
    entry.hidden = Array.from(entry.querySelectorAll("li")).every((each) => each.hidden);
  }
  const count = matches === 0 ? "No matches" : matches === 1 ? "1 match" : `${matches} matches`;
  document.querySelector("#matches").textContent = words.length === 0 ? "" : count;
}

field.addEventListener("input", () => {
  filter();
  scrollTo(0, 0);
});
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") document.querySelector("main article:not([hidden]) h3 a")?.focus();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target === field) return;
  event.preventDefault();
  field.focus();
  field.select();
});
// A link to what does not match leads there all the same.
document.addEventListener("click", (event) => {
  const target = event.target.closest?.("a[href^='#']")?.hash.slice(1);
  if (!target || !isHidden(document.getElementById(target))) return;
  field.value = "";
  filter();
});
document.querySelector(".search").hidden = false;
