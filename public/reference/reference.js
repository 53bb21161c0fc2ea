// The page's samples name this deployment. Without this script they name a placeholder.
for (const code of document.querySelectorAll(".samples code")) {
  if (code.textContent.includes("https://api.example.com"))
    code.textContent = code.textContent.replaceAll("https://api.example.com", location.origin);
}
