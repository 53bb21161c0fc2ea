// An answer or a comment that was begun stays in this tab until it is sent or discarded, whatever else is done on the page. `data-draft` has
// the text as it is saved.

const fields = [...document.querySelectorAll("[data-draft]")];
const keyOf = ({ form, name }) => `draft ${document.body.dataset.owner} ${new URL(form.action).pathname} ${name}`;

const showDraft = (field, draft) => {
  field.value = draft;
  field.closest("details")?.setAttribute("open", "");
  const note = document.createElement("p");
  const discard = document.createElement("button");
  note.className = "hint";
  note.append("Draft, not posted yet. ", discard);
  discard.type = "button";
  discard.className = "link";
  discard.textContent = "Discard";
  discard.addEventListener("click", () => {
    field.value = field.dataset.draft;
    note.remove();
    field.focus();
  });
  field.after(note);
};

for (const field of fields) {
  const draft = sessionStorage.getItem(keyOf(field));
  // A page that refuses a form, or previews it, has the text itself.
  if (draft !== null && field.value === field.dataset.draft) showDraft(field, draft);
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
  if (isSignedOut) sessionStorage.clear();
  else
    for (const field of fields) {
      if (field.form === sent || field.value === field.dataset.draft) sessionStorage.removeItem(keyOf(field));
      else sessionStorage.setItem(keyOf(field), field.value);
    }
});
