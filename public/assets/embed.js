// The page is complete without this: it updates when a choice changes, without a press of the button.

const form = document.querySelector("[data-embed]");

form?.addEventListener("change", () => {
  const url = new URL(form.action);
  url.search = new URLSearchParams(new FormData(form));
  location.replace(url);
});
