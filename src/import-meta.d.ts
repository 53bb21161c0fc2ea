/** True in the Worker's bundle only ([define] in wrangler.toml): what just the OpenAPI document needs is left out there. */
interface ImportMeta {
  readonly deployed?: true;
}
