/**
 * What the deployment serves to programs that read: the documents as Markdown under `/docs/`, and `/llms.txt`, which says what there is
 * (https://llmstxt.org).
 */
import { readFile } from "node:fs/promises";

/** The documents that are served, each with the line that `/llms.txt` has of it. */
const DOCUMENTS = {
  api: "Credentials, errors, retries, lists, webhooks, and every operation in a table",
  clients: "Clients to start from: TypeScript, plain fetch, Python, PHP; receivers of webhooks; agents; imports",
  embed: "The custom elements on your site: changelog, idea board, roadmap, survey",
  surveys: "Questions, who is asked, responses, results, and anonymous surveys",
  pages: "A board's public page: switch it on, share it, who signs in",
  mails: "Which e-mails people and members get, when, and how they end",
  "embed-reference": "Every attribute, event, label and CSS property of the elements",
  promises: "What holds, and what happens when a store fails",
  operations: "Deploy, configure, watch, back up and restore",
  security: "Threats, and what is done about each",
} as const;

/** Programs to copy, which are served beside the documents. */
const PROGRAMS: readonly string[] = ["examples/sync.mjs", "examples/tenant.php", "examples/tenant.py"];

/** Files of the repository that the deployment serves at another place. */
const SERVED_AT: ReadonlyMap<string, string> = new Map([["../public/openapi.json", "/openapi.json"]]);

const CODE_OR_LINK = /^( *)```[\s\S]*?^\1```$|(!?)\[([^\]]*)\]\(([^)\s]+)\)/gm;

/** With links that work where it is served. A link to a file that is not served is its text alone. */
export function toServed(markdown: string): string {
  return markdown.replace(CODE_OR_LINK, (whole, _indent, image: string, text: string, target: string | undefined) => {
    if (target === undefined) return whole;
    const [path = "", fragment] = target.split("#");
    const isServed = PROGRAMS.includes(path) || Object.keys(DOCUMENTS).some((name) => path === `${name}.md`);
    if (path === "" || /^https?:/.test(path) || isServed) return whole;
    const served = SERVED_AT.get(path);
    if (served === undefined) return text;
    return `${image}[${text}](${served}${fragment === undefined ? "" : `#${fragment}`})`;
  });
}

const HEAD = `# Edge access API

> Idea boards, surveys and changelogs for your own site, or on a page of their own. Your server calls the tenant API with an API key. Your customers' browsers and apps call the panelist API with a token that your server issues.

- The API is on the host of this file. Requests and answers are JSON.
- Words: a **tenant** is the company that has an account here. An **idea bank** is one board of ideas. A **proposal** is one idea. A **panelist** is a customer who votes and comments. A **visitor** isn't signed in and only reads. A **compound token** names one idea bank, and one panelist or visitors.

## First calls

With an API key (\`ibk_…\`), in the header \`X-API-Key\`. Create one in [Account Settings](/account/api-keys):

- \`GET /tenant/whoami\`: checks the key, and answers \`{"apiKeyId": "…"}\`
- \`GET /tenant/ideabanks\`: your boards with their \`id\`, newest first
- \`POST /tenant/ideabanks\` with \`{"name": "Rider ideas"}\`: a new board. It is a \`DRAFT\` without a changelog
- \`PATCH /tenant/ideabanks/{ideaBankId}\` with \`{"status": "OPEN", "changelogEnabled": true}\`: opens it
- \`POST /tenant/ideabanks/{ideaBankId}/proposals\` with \`{"title": "Dark mode"}\`: an idea of your own
- \`POST /tenant/surveys\` with \`{"title": "How are we doing?", "status": "OPEN", "ideaBankId": "{ideaBankId}", "questions": [{"id": "recommend", "kind": "scale", "title": "Would you recommend us?", "from": 0, "to": 10}]}\`: a survey for everybody of the board
- \`POST /tenant/ideabanks/{ideaBankId}/tokens\` with \`{"externalId": "customer-42"}\`, your own id for a customer, or with \`{"visitor": true}\`: a compound token, in \`token\`. A new customer is created

With a compound token (\`ibt_…\`), in the header \`Authorization\`, with or without \`Bearer\`:

- \`GET /ideabank\`: what the token can do
- \`GET /public/ideabank/changelog\`: what was shipped
- \`GET /ideabank/proposals\`: the ideas, each with its votes
- \`PUT /ideabank/proposals/{proposalId}/vote\`: vote
- \`GET /surveys\`: the open surveys that this person can answer
- \`PUT /surveys/{surveyId}/response\` with \`{"answers": {"recommend": 9}}\`: answer one

A list is \`{"items": […], "nextCursor": "…"}\`: send \`nextCursor\` back as \`?cursor=\`. Send an \`Idempotency-Key\` with a POST that you may repeat.
Send \`Content-Type: application/json\` with every body.
Agents can call the tenant API as tools at \`/mcp\`.

An error is a problem document (RFC 9457). \`error\` is for programs, and \`detail\` says what to send instead. For 429 and 503, wait as many seconds as \`Retry-After\` says.
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
  for (const path of PROGRAMS) files.set(`docs/${path}`, await readFile(`docs/${path}`, "utf8"));
  return files.set("llms.txt", `${HEAD}\n## Documents\n\n${lines.join("")}\n${FOOT}`);
}
