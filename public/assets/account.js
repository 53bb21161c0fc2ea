// The pages are complete without this: it copies a key with one click, keeps an impatient second click from sending a form again,
// selects the name of a key that is to be changed, chooses all of a list, and shows times in the reader's time zone.

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    // From here on the button's name is what it says.
    button.removeAttribute("aria-label");
    const source = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(source.href ?? source.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(source);
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}

for (const form of document.querySelectorAll("form")) {
  form.addEventListener("submit", () => {
    // After this event, so that the button still takes part in it.
    setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
    });
    // A file comes beside the page, which stays.
    if ("file" in form.dataset)
      setTimeout(() => {
        for (const button of form.querySelectorAll("button")) button.disabled = false;
      }, 3_000);
  });
}

// Whoever renames a key types over its name. What was refused has the focus itself.
const named = document.querySelector("form[action*=api-keys]:has([name=was]) [name=name]");
if (named && !document.querySelector("[role=alert]")) {
  named.focus();
  named.select();
}

// All boxes of a list at once.
for (const all of document.querySelectorAll("[data-all]")) {
  all.hidden = false;
  all.addEventListener("change", ({ target }) => {
    for (const box of target.form.elements) if (box.name === "ids") box.checked = target.checked;
  });
}

// A page that comes back from the browser's memory has its buttons again.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form button")) button.disabled = false;
});

for (const time of document.querySelectorAll("time")) {
  const date = new Date(time.dateTime);
  const { zoned } = time.dataset;
  if (zoned) {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    time.textContent = `${date.toLocaleString("en", { dateStyle: zoned, timeStyle: "short", hourCycle: "h23" })} (${zone})`;
  }
  if (time.dataset.clock !== undefined) {
    time.textContent = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  } else if (time.title) {
    time.title = date.toLocaleString([], { dateStyle: "medium", timeStyle: "long", hourCycle: "h23" });
  }
}

// Who has chosen no time zone is offered the reader's.
const ownZone = document.querySelector("[data-own-zone]");
if (ownZone) {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  if (![...ownZone.options].some(({ value }) => value === timeZone)) ownZone.add(new Option(timeZone, timeZone));
  ownZone.value = timeZone;
}

// What was done is said once, not again when the page is loaded again.
if (document.querySelector("[data-done]")) {
  const url = new URL(location);
  for (const name of [
    "done",
    "key",
    "undo",
    "redo",
    "told",
    "person",
    "left",
    "tagged",
    "changed",
    "given",
    "events",
    "nothing-chosen",
    "invited",
    "canceled",
    "removed",
  ])
    url.searchParams.delete(name);
  history.replaceState(null, "", url);
  // A decision can be taken back here for a minute.
  setTimeout(() => {
    const undo = document.querySelector("[data-done][action='/account/undo'] button");
    if (undo?.matches(":focus")) undo.parentElement.querySelector("[role=status]").focus();
    undo?.remove();
  }, 60_000);
}

// A page that has been open for hours says when its sign-in is about to end.
const ends = document.querySelector("[data-sign-in-ends]");
if (ends) {
  const showWhenNear = () => {
    const left = Number(ends.dataset.signInEnds) - Date.now() - 600_000;
    if (left <= 0) ends.hidden = false;
    else setTimeout(showWhenNear, Math.min(left, 60_000));
  };
  showWhenNear();
}
