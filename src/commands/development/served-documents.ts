/**
 * What the deployment serves to programs that read: the documents as Markdown under `/docs/`, and `/llms.txt`, which says what there is
 * (https://llmstxt.org).
 */
import { readFile } from "node:fs/promises";

/** The documents that are served, each with the line that `/llms.txt` has of it. */
const DOCUMENTS = {
  api: "Credentials, errors, retries, lists, webhooks, and every operation in a table",
  clients: "Clients to start from: TypeScript, plain fetch, Python, PHP; receivers of webhooks; agents; imports",
  embed: "The custom elements on your site: changelog, idea board, roadmap",
  "embed-reference": "Every attribute, event, label and CSS property of the elements",
  promises: "What holds, and what happens when a store fails",
  operations: "Deploy, configure, watch, back up and restore",
  security: "Threats, and what is done about each",
} as const;

/** Files of the repository that the deployment serves at another place. */
const SERVED_AT: ReadonlyMap<string, string> = new Map([["../public/openapi.json", "/openapi.json"]]);

const CODE_OR_LINK = /^( *)```[\s\S]*?^\1```$|(!?)\[([^\]]*)\]\(([^)\s]+)\)/gm;

/** With links that work where it is served. A link to a file that is not served is its text alone. */
export function toServed(markdown: string): string {
  return markdown.replace(CODE_OR_LINK, (whole, _indent, image: string, text: string, target: string | undefined) => {
    if (target === undefined) return whole;
    const [path = "", fragment] = target.split("#");
    if (path === "" || /^https?:/.test(path) || Object.keys(DOCUMENTS).some((name) => path === `${name}.md`))
      return whole;
    const served = SERVED_AT.get(path);
    if (served === undefined) return text;
    return `${image}[${text}](${served}${fragment === undefined ? "" : `#${fragment}`})`;
  });
}

const HEAD = `# Edge access API

> Idea boards and a changelog for your own site. A tenant's server calls the tenant API with an API key, and a panelist's client calls the panelist API with a compound token.

- The API is on the host of this file. Requests and answers are JSON.
- A tenant's server sends \`X-API-Key: ibk_…\`. To try a key: \`curl -H "X-API-Key: $API_KEY" https://<this host>/tenant/whoami\`.
- A panelist's client sends \`Authorization: ibt_…\`, without \`Bearer\`. The server issues the token: \`POST /tenant/ideabanks/{ideaBankId}/tokens\`.
- Tenants create API keys in [Account Settings](/account/api-keys).
- An error is a problem document (RFC 9457). \`error\` is for programs, and \`detail\` says what to send instead.
`;

const FOOT = `## Every operation

- [openapi.json](/openapi.json): OpenAPI 3.1, with every field, error and example
- [openapi.yaml](/openapi.yaml): the same as YAML
- [Reference](/reference): the same as a page
`;

/** The files by their path below `public/`. None without the documents: a folder that only runs the Worker has none. */
export async function buildServedDocuments(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const lines: string[] = [];
  for (const [name, line] of Object.entries(DOCUMENTS)) {
    const markdown = await readFile(`docs/${name}.md`, "utf8").catch(() => undefined);
    if (markdown === undefined) return new Map();
    files.set(`docs/${name}.md`, toServed(markdown));
    lines.push(`- [${markdown.match(/^# (.*)/)?.[1] ?? name}](/docs/${name}.md): ${line}\n`);
  }
  return files.set("llms.txt", `${HEAD}\n## Documents\n\n${lines.join("")}\n${FOOT}`);
}
