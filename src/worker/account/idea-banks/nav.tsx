/** The navigation between the pages of one idea bank. */
const PAGES = { "": "Ideas", settings: "Settings", embed: "Embed" };

export const BankNav = ({ id, current }: { readonly id: string; readonly current: keyof typeof PAGES }) => (
  <nav class="bank" aria-label="Board">
    {Object.entries(PAGES).map(([page, name]) => (
      <a href={`/account/idea-banks/${id}${page && `/${page}`}`} aria-current={page === current ? "page" : undefined}>
        {name}
      </a>
    ))}
  </nav>
);
