// While a response is written, colleagues who open the same idea read who writes it. Without this, they see on saving what was saved before.

const EVERY_MS = 30_000;

for (const line of document.querySelectorAll("[data-writing]")) {
  const field = line.closest("form, details").querySelector("[name=response]");
  let told = 0;
  field.addEventListener("input", async () => {
    const ends = field.value === field.dataset.draft;
    if (ends ? told === 0 : Date.now() - told < EVERY_MS) return;
    told = ends ? 0 : Date.now();
    try {
      const body = new URLSearchParams({ ...(ends && { ends: "" }) });
      const answer = await fetch(line.dataset.writing, { method: "POST", body });
      const { words } = answer.ok ? await answer.json() : { words: "" };
      line.textContent = words;
      line.hidden = words === "";
    } catch {
      // It is told again with the next letters.
    }
  });
}
