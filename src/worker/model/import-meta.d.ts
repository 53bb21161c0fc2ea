/** True only in the Worker's bundle ([define] in wrangler.toml). Code that only the OpenAPI document needs is left out there. */
interface ImportMeta {
  readonly deployed?: true;
}
