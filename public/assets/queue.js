// The queue is complete without this: the bar for several ideas follows the choice, a status is set when it is chosen, and the keyboard
// goes through the list.

const form = document.querySelector("[data-queue]");

if (form) {
  const rows = [...form.querySelectorAll("li")];
  const bar = form.querySelector(".several");
  const words = bar.querySelector("[data-chosen]");
  form.classList.add("scripted");

  const showBar = () => {
    const count = rows.filter((row) => row.querySelector("[name=ids]").checked).length;
    bar.hidden = count === 0;
    words.textContent = count === 1 ? "1 selected" : `${count} selected`;
  };
  form.addEventListener("change", showBar);
  addEventListener("pageshow", showBar);
  showBar();

  // Arrow keys change a closed select at once, so it is sent when it loses the focus, or by a choice from the open list.
  for (const select of form.querySelectorAll(".set select")) {
    const before = select.value;
    let byKey = false;
    const send = () => {
      if (select.value !== before) select.nextElementSibling.click();
    };
    select.addEventListener("keydown", ({ key }) => {
      byKey = key !== "Enter" && key !== " ";
      if (key === "Enter") send();
    });
    select.addEventListener("pointerdown", () => {
      byKey = false;
    });
    select.addEventListener("change", () => {
      if (!byKey) send();
    });
    select.addEventListener("blur", send);
  }

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
      if (current >= 0) rows[current].querySelector(".set select").focus();
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
