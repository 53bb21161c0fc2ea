// The start page and the page of the elements. Both run sandboxed: this script has no origin, no storage and no sign-in.
// It runs before anything is painted: where the elements will be, and where the form is, nothing moves.

const TOKEN = /^ib[tv]_[0-9A-Za-z]+$/;
const TOKEN_IN_FRAGMENT = /[#&]token=([^&]+)/;

/** The deployment's own board (START_PAGE_TOKEN). A token in the address comes first. */
const START_PAGE_TOKEN = document.documentElement.dataset.startPageToken ?? "";
const tokenGiven = () => TOKEN_IN_FRAGMENT.exec(location.hash)?.[1] ?? START_PAGE_TOKEN;

/** "given": the elements are shown. "asked": the form is. */
const setToken = (state) => {
  document.documentElement.dataset.token = state;
};
setToken(tokenGiven() === "" ? "asked" : "given");

/** The token stays in this page: it is never part of a request's address. */
function show(token) {
  setToken(token === "" ? "asked" : "given");
  if (token === "") return;
  for (const element of document.querySelectorAll("idea-bank-board, idea-bank-roadmap, idea-bank-changelog"))
    element.token = token;
  for (const link of document.querySelectorAll("a[data-keeps-token]")) link.hash = `token=${token}`;
  nameToken(token);
  askAgainIfRefused(token);
}

/** The snippets have a visitor's token that was given here, and can be pasted as they are. A panelist's token is in no page. */
function nameToken(token) {
  const isOwn = TOKEN.test(token) && token.startsWith("ibv_") && token !== START_PAGE_TOKEN;
  document.documentElement.dataset.snippetToken = isOwn ? token : "ibv_…";
  const snippet = document.getElementById("snippet");
  snippet.textContent = snippet.textContent.replace(/(?<=token=")[^"]*/, document.documentElement.dataset.snippetToken);
}

/** The elements speak to a panelist, who would sign in again. Who tries a token here can give another one. */
async function askAgainIfRefused(token) {
  const isToken = TOKEN.test(token);
  // What is no token may not even fit into a header.
  const request = { method: "HEAD", headers: { Authorization: token } };
  const response = isToken && (await fetch("/ideabank", request).catch(() => undefined));
  const isRefused = !isToken || response?.status === 401;
  // A visitor who pasted nothing reads nothing about tokens.
  document.getElementById("token-problem").hidden = !isRefused || token === START_PAGE_TOKEN;
  if (isRefused) setToken("asked");
}

/** Nobody can sign in on the start page. */
const START_PAGE_LABELS = {
  signInHere: "This is a preview. On your own site, people sign in to vote and suggest ideas.",
};

function start() {
  if (location.pathname === "/") document.querySelector("idea-bank-board").labels = START_PAGE_LABELS;
  document.getElementById("token-form").addEventListener("submit", (event) => {
    event.preventDefault();
    show(event.target.elements.token.value.trim());
  });
  addEventListener("hashchange", () => TOKEN_IN_FRAGMENT.test(location.hash) && show(tokenGiven()));
  show(tokenGiven());

  // What scrolls can be reached by keyboard.
  for (const pane of document.querySelectorAll(".pane")) pane.tabIndex = 0;

  // The snippets name this deployment.
  for (const code of document.querySelectorAll("pre code")) {
    code.textContent = code.textContent.replaceAll(/(src="|curl )\//g, `$1${location.origin}/`);
  }

  for (const button of document.querySelectorAll("button[data-copy]")) {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        // A sandboxed page may not have the clipboard; the older way works with a click.
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl+C";
      }
    });
  }
}
addEventListener("DOMContentLoaded", start);
