// The form of a survey is complete without this. Here its own buttons change the form in place, questions are put into order by dragging,
// and the closing time is in the reader's time zone.

const form = document.querySelector("[data-builder]");

// The zone of the field's time. A form that comes back has it already.
const showZone = () => {
  const closes = form.querySelector("[data-zone]");
  const zone = document.getElementById(closes.dataset.zone);
  if (zone.value) return;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (closes.value) {
    const date = new Date(`${closes.value}Z`);
    closes.value = new Date(date - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
  }
  zone.value = own;
  const hint = document.getElementById("closesAt-hint");
  if (hint?.className === "hint") hint.textContent = hint.textContent.replace("UTC", own);
};

const idOf = (element) => element.closest("[data-question]").dataset.question;

// The server makes the form anew from what is typed. If it cannot be reached, the button does what it does without this.
const sendInPlace = async (button) => {
  const body = new URLSearchParams(new FormData(form, button));
  const answer = await fetch(form.action, { method: "POST", body });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const made = page.querySelector("[data-builder]");
  if (!made) throw new Error("the answer is another page");
  const opened = [...form.querySelectorAll("[data-question] details[open]")].map(idOf);
  for (const details of made.querySelectorAll("[data-question] details"))
    details.open ||= opened.includes(idOf(details));
  form.replaceChildren(...made.childNodes);
  prepare();
  const focused = form.querySelector("[autofocus]");
  focused?.focus({ preventScroll: true });
  focused?.scrollIntoView({ block: "nearest" });
};

let isSending = false;
document.addEventListener(
  "submit",
  async (event) => {
    const { target, submitter } = event;
    if (target !== form || !submitter?.hasAttribute("data-in-place")) return;
    event.preventDefault();
    // Otherwise all buttons of the form would be disabled.
    event.stopPropagation();
    if (isSending) return;
    isSending = true;
    try {
      await sendInPlace(submitter);
    } catch {
      submitter.removeAttribute("data-in-place");
      form.requestSubmit(submitter);
    } finally {
      isSending = false;
    }
  },
  true,
);

// Enter goes on to the next option, or to a new one.
form?.addEventListener("keydown", (event) => {
  const option = event.target.closest(".options li > input");
  if (!option || event.key !== "Enter" || event.isComposing) return;
  event.preventDefault();
  const next = option.closest("li").nextElementSibling?.querySelector("input:not([type=hidden])");
  if (next) next.focus();
  else option.closest(".options").querySelector("[value^='addOption:']")?.click();
});

// A choice on which others depend shows them at once.
form?.addEventListener("change", ({ target }) => {
  const { refresh } = target.dataset;
  if (refresh === undefined) return;
  form.querySelector(`[value="refresh:${refresh}"]`)?.click();
});

// After a question was moved, others may depend on it.
const refresh = () => {
  const button = document.createElement("button");
  Object.assign(button, { name: "do", value: "refresh:questions", formNoValidate: true, hidden: true });
  button.dataset.inPlace = "";
  form.append(button);
  button.click();
};

const placeAgain = () => {
  for (const [index, place] of form.querySelectorAll(".place").entries()) place.textContent = index + 1;
};

// A question is dragged by its number, so that its fields can be selected.
const makeDraggable = (question) => {
  const handle = question.querySelector("legend");
  handle.classList.add("handle");
  handle.addEventListener("pointerdown", () => {
    question.draggable = true;
  });
  question.addEventListener("dragstart", ({ dataTransfer }) => {
    dataTransfer.effectAllowed = "move";
    question.classList.add("dragged");
  });
  question.addEventListener("dragend", () => {
    question.draggable = false;
    question.classList.remove("dragged");
    refresh();
  });
  question.addEventListener("dragover", (event) => {
    const dragged = form.querySelector(".dragged");
    if (!dragged || dragged === question) return;
    event.preventDefault();
    const { top, height } = question.getBoundingClientRect();
    question[event.clientY < top + height / 2 ? "before" : "after"](dragged);
    placeAgain();
  });
};

const prepare = () => {
  form.classList.add("scripted");
  showZone();
  for (const question of form.querySelectorAll("[data-question]")) makeDraggable(question);
};
if (form) prepare();
