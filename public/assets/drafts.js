// An answer or a comment that was begun stays in this tab until it is sent or discarded, whatever else is done on the page, and its box says
// so. `data-draft` has the text as it is saved.

const fields = [...document.querySelectorAll("[data-draft]")];
const keyOf = ({ form, name }) => `draft ${document.body.dataset.owner} ${new URL(form.action).pathname} ${name}`;
const savedOf = ({ dataset }) => dataset.draft.replaceAll("\r", "");
const isDraft = (field) => field.value !== savedOf(field);

const notes = new Map();
const showNote = (field, more = "") => {
  const note = notes.get(field);
  if (!isDraft(field)) {
    note?.remove();
    notes.delete(field);
  }
  if (!isDraft(field) || note) return;
  const added = document.createElement("p");
  const discard = document.createElement("button");
  added.className = "hint";
  added.append(`Unsent draft. ${more}`, discard);
  discard.type = "button";
  discard.className = "link";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => {
    field.value = savedOf(field);
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus();
  });
  field.after(added);
  notes.set(field, added);
};

// Kept with the text that was saved when it was begun: if that is another one now, whoever sends it is shown both.
const keep = (field) => JSON.stringify({ text: field.value, began: field.dataset.began ?? savedOf(field) });
const takeUp = (field, kept) => {
  const { text, began } = kept.startsWith('{"text":') ? JSON.parse(kept) : { text: kept, began: savedOf(field) };
  field.value = text;
  field.closest("details")?.setAttribute("open", "");
  const opened = field.form.elements.was;
  if (began === savedOf(field) || !opened) return showNote(field);
  field.dataset.began = began;
  const was = new URLSearchParams(opened.value);
  was.set(field.name, began);
  opened.value = was;
  showNote(field, "What it replaces has changed in the meantime. ");
};

for (const field of fields) {
  const kept = sessionStorage.getItem(keyOf(field));
  // A page that refuses a form, or previews it, has the text itself.
  if (kept !== null && !isDraft(field)) takeUp(field, kept);
  else showNote(field);
  field.addEventListener("input", () => showNote(field));
}

// Beside an idea each box has a button of its own, which saves that box alone.
for (const form of document.querySelectorAll("aside form:has([name=was], [name=had])")) {
  const button = form.querySelector("button[type=submit]");
  const showUnsaved = () => {
    if (button.nextElementSibling) return;
    const note = document.createElement("span");
    note.className = "hint";
    note.textContent = " Not saved yet";
    button.after(note);
  };
  form.addEventListener("input", showUnsaved);
  // What was typed before this ran, or was filled in again by the browser.
  const isChanged = ({ type, value, defaultValue }) =>
    type !== "hidden" && defaultValue !== undefined && value !== defaultValue.replaceAll(/\r\n?/g, "\n");
  if ([...form.elements].some(isChanged)) showUnsaved();
}

let sent;
let isSignedOut = false;
addEventListener("pageshow", () => {
  sent = undefined;
});
addEventListener("submit", ({ target, submitter }) => {
  sent = submitter?.value.startsWith("preview-") ? undefined : target;
});
for (const way of document.querySelectorAll("[action^='/account/sign-out'], [href='/cdn-cgi/access/logout']"))
  way.addEventListener(way.href ? "click" : "submit", () => {
    isSignedOut = true;
  });
addEventListener("pagehide", () => {
  if (isSignedOut) {
    sessionStorage.clear();
    // A file that was not imported to its end.
    indexedDB.deleteDatabase("imports");
  } else
    for (const field of fields) {
      if (field.form === sent || !isDraft(field)) sessionStorage.removeItem(keyOf(field));
      else sessionStorage.setItem(keyOf(field), keep(field));
    }
});
