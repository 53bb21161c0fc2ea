// While somebody types a person's name, an idea's title or a colleague after an @, what is there already is suggested. Without this, a form
// that was sent asks, and the colleagues stand below the field.

const whenTyped = (field, show) => {
  let typed;
  field.addEventListener("input", () => {
    clearTimeout(typed);
    typed = setTimeout(show, 250);
  });
};

// The newest answer counts: an older one may come later. Undefined for one that is late, or that failed.
const asker = (from) => {
  let asked = 0;
  return async (parameters) => {
    const number = ++asked;
    const url = new URL(from, location.href);
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    try {
      const answer = await fetch(url);
      const items = answer.ok ? (await answer.json()).items : undefined;
      return number === asked ? items : undefined;
    } catch {
      return undefined;
    }
  };
};

for (const field of document.querySelectorAll("input[data-from]")) {
  const ask = asker(field.dataset.from);
  const chosen = field.parentElement.querySelector("output");
  const nameChosen = () => {
    const option = [...field.list.options].find(({ value }) => value === field.value);
    chosen.textContent = option?.label ?? "";
  };
  whenTyped(field, async () => {
    nameChosen();
    const q = field.value.trim();
    if (q.length < 2) return;
    const items = await ask({ q });
    if (items === undefined) return;
    field.list.replaceChildren(...items.map(({ value, label }) => new Option(label, value)));
    nameChosen();
  });
}

for (const area of document.querySelectorAll("textarea[data-names]")) {
  const names = JSON.parse(area.dataset.names);
  const offered = area.parentElement.querySelector("[data-offered]");
  area.addEventListener("input", () => {
    const to = area.selectionStart;
    const [begun = ""] = /(?<![\p{L}\p{N}_@.+-])@[^@\n]{0,100}$/u.exec(area.value.slice(0, to)) ?? [];
    const fit = (name) => begun !== "" && name !== begun && name.toLowerCase().startsWith(begun.toLowerCase());
    offered.replaceChildren(
      ...names.filter(fit).map((name) => {
        const button = document.createElement("button");
        button.type = "button";
        button.dir = "auto";
        button.textContent = name;
        button.addEventListener("click", () => {
          area.setRangeText(`${name} `, to - begun.length, to, "end");
          area.focus();
          area.dispatchEvent(new Event("input", { bubbles: true }));
        });
        return button;
      }),
    );
    offered.hidden = offered.children.length === 0;
  });
}

const similar = document.querySelector("[data-similar]");
if (similar) {
  const { title, board } = similar.closest("form").elements;
  const list = similar.querySelector("ul");
  const ask = asker(similar.dataset.from);
  const show = async () => {
    const q = title.value.trim();
    const items = q.length < 4 ? [] : await ask({ q, board: board.value });
    if (items === undefined) return;
    list.replaceChildren(
      ...items.map(({ path, label, hint }) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        const words = document.createElement("span");
        link.href = new URL(path, location.href);
        link.search = new URL(similar.dataset.from, location.href).search;
        link.target = "_blank";
        link.rel = "noopener";
        link.dir = "auto";
        link.textContent = label;
        words.className = "hint";
        words.textContent = ` ${hint}`;
        item.append(link, words);
        return item;
      }),
    );
    similar.hidden = items.length === 0;
  };
  whenTyped(title, show);
  board.addEventListener("change", show);
  if (title.value !== "") show();
}
