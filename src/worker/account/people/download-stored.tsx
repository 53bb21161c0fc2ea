/** The button on a person's page that sends all that is stored of this person. */
export const DownloadStored = ({ id }: { readonly id: string }) => (
  <section aria-labelledby="stored">
    <h2 id="stored">Their data</h2>
    <p class="hint">
      Everything by and about this person, as a JSON file: profile, ideas, comments, votes, named survey responses,
      follows, emails and your team’s notes. Read the notes before you hand it over.
    </p>
    <form data-file method="post" action={`/account/people/${id}/stored`}>
      <button type="submit">Download what is stored of them</button>
    </form>
  </section>
);
