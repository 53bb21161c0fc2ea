// The lists of ideas are complete without this: the bar for several ideas follows the choice, a status is set and a filter is applied when
// it is chosen, and the keyboard goes through the list.

const bar = document.querySelector(".several");
if (bar) {
  const words = bar.querySelector("[data-chosen]");
  bar.closest("main").classList.add("scripted");
  const showBar = () => {
    const count = document.querySelectorAll("[name=ids]:checked").length;
    bar.hidden = count === 0;
    words.textContent = count === 1 ? "1 selected" : `${count} selected`;
  };
  addEventListener("change", showBar);
  addEventListener("pageshow", showBar);
  showBar();
}

// A browser that goes back fills in what was chosen last, which is not what the page shows.
const keepAsShown = (selects) =>
  addEventListener("pageshow", () => {
    for (const select of selects) for (const option of select.options) option.selected = option.defaultSelected;
  });

// Arrow keys change a closed select at once, so what they have chosen is sent with Enter; a choice from the open list is sent at once.
// Returns what sends a choice that was not sent.
const whenChosen = (select, send) => {
  let before = select.value;
  let byKey = false;
  addEventListener("pageshow", () => {
    before = select.value;
  });
  const sendChanged = () => {
    if (select.value !== before) send();
  };
  select.addEventListener("keydown", ({ key }) => {
    byKey = key !== "Enter" && key !== " ";
    if (key === "Enter") sendChanged();
  });
  select.addEventListener("pointerdown", () => {
    byKey = false;
  });
  select.addEventListener("change", () => {
    if (!byKey) sendChanged();
  });
  return sendChanged;
};

// The filters. The page that shows the result has the focus where it was.
const filters = document.querySelector(".filters");
const FOCUSED = "filter";
if (filters) {
  const selects = filters.querySelectorAll("select");
  keepAsShown(selects);
  for (const select of selects)
    whenChosen(select, () => {
      sessionStorage.setItem(FOCUSED, select.name);
      filters.requestSubmit();
    });
  const name = sessionStorage.getItem(FOCUSED);
  sessionStorage.removeItem(FOCUSED);
  const select = name && filters.elements[name];
  if (select) {
    select.focus({ preventScroll: true });
    // On a phone they are folded away.
    if (document.activeElement !== select) filters.closest("details").firstElementChild.focus({ preventScroll: true });
  }
}

const form = document.querySelector("[data-queue]");

// Enter in a field of the bar presses the button beside it, and not the first one of the form.
for (const field of document.querySelectorAll(".several .buttons input"))
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    event.preventDefault();
    field.parentElement.querySelector("button").click();
  });

if (form) {
  const rows = [...form.querySelectorAll("li")];

  const statuses = form.querySelectorAll(".set select");
  keepAsShown(statuses);
  for (const select of statuses)
    select.addEventListener(
      "blur",
      whenChosen(select, () => select.nextElementSibling.click()),
    );

  // What is opened to write in is written in at once: letters would be shortcuts until then.
  for (const respond of form.querySelectorAll(".respond"))
    respond.firstElementChild.addEventListener("click", () => {
      if (!respond.open)
        respond.addEventListener("toggle", () => respond.querySelector("textarea").focus(), { once: true });
    });

  let current = -1;
  const go = (to) => {
    if (rows.length === 0) return;
    rows[current]?.classList.remove("current");
    current = Math.max(0, Math.min(rows.length - 1, to));
    rows[current].classList.add("current");
    rows[current].querySelector("h2 a").focus();
  };
  form.addEventListener("focusin", ({ target }) => {
    const at = rows.indexOf(target.closest("li"));
    if (at < 0) return;
    rows[current]?.classList.remove("current");
    current = at;
  });

  const HELP = [
    ["j", "Next idea"],
    ["k", "Previous idea"],
    ["Enter", "Open"],
    ["x", "Select"],
    ["s", "Change status"],
    ["r", "Respond"],
    ["/", "Search"],
    ["?", "Show this help"],
  ];
  const help = document.createElement("dialog");
  help.className = "dialog";
  const title = document.createElement("h2");
  title.textContent = "Keyboard shortcuts";
  title.id = "keyboard-shortcuts";
  help.setAttribute("aria-labelledby", title.id);
  const list = document.createElement("dl");
  list.className = "keys";
  for (const [key, does] of HELP) {
    const [pair, term, text, mark] = ["div", "dt", "dd", "kbd"].map((name) => document.createElement(name));
    mark.textContent = key;
    text.textContent = does;
    term.append(mark);
    pair.append(term, text);
    list.append(pair);
  }
  const close = document.createElement("button");
  close.textContent = "Close";
  close.addEventListener("click", () => help.close());
  help.append(title, list, close);
  document.body.append(help);

  const ACTIONS = {
    j: () => go(current + 1),
    k: () => go(current - 1),
    x: () => {
      if (current >= 0) rows[current].querySelector("[name=ids]").click();
    },
    s: () => {
      if (current >= 0) rows[current].querySelector(".set select")?.focus();
    },
    r: () => {
      const respond = rows[current]?.querySelector(".respond");
      if (!respond) return;
      respond.open = true;
      respond.querySelector("textarea").focus();
    },
    "/": () => document.querySelector("[data-key='/']").focus(),
    "?": () => help.showModal(),
  };
  addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input:not([type=checkbox]), textarea, select, dialog, [contenteditable]");
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(ACTIONS, event.key)) return;
    event.preventDefault();
    ACTIONS[event.key]();
  });
}
