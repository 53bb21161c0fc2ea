/** What stands where a switch for e-mails to people would be, while the deployment sends none. */
export const NoMail = () => (
  <p class="hint">
    This deployment can’t send email to people yet. Its operator adds the binding <code>NOTICES</code> and sets{" "}
    <code>NOTICES_FROM</code> and <code>SIGN_IN_URL</code>: see{" "}
    <a href="/docs/operations.md">“E-mail to members” in Operations</a>.
  </p>
);
