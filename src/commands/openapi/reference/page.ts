/** `public/reference.html`: the whole document as one page, which needs no script to be read. */
import { html } from "hono/html";
import type { Answer, OpenApi, Operation } from "./document-types.ts";
import { prose } from "./prose.ts";
import { samplesOf } from "./samples.ts";
import { fieldsOf, nameOf, parameterTable } from "./schema-tables.ts";

type Html = ReturnType<typeof html>;
type Described = { readonly path: string; readonly method: string; readonly operation: Operation };

export const REFERENCE_HTML = "public/reference.html";

/** Identifiers of tags and operations: links to them are kept. */
const idOfTag = (tag: string): string => `tag/${tag.replaceAll(" ", "-")}`;
const idOf = ({ tags: [tag = ""], operationId }: Operation): string => `${idOfTag(tag)}/operation/${operationId}`;

export async function renderReference(document: OpenApi): Promise<string> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const of = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag);
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="description" content="Every operation of the edge access API, with its fields, errors and samples." />
    <title>API reference · Idea boards</title>
    <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/assets/pages.css" />
    <link rel="stylesheet" href="/reference/reference.css" />
    <script src="/reference/reference.js" defer></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to content</a>
    <header class="bar">
      <a class="brand" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24" /><span>Idea boards</span></a>
      <nav aria-label="Pages">
        <a href="/embed/">Elements</a>
        <a href="/reference" aria-current="page">API reference</a>
        <a href="/account/api-keys">Account Settings</a>
      </nav>
    </header>
    <div class="reference">
      ${contents(document, of)}
      <main id="content" tabindex="-1">
        <h1>${document.info.title} <small>${document.info.version}</small></h1>
        <p>${prose(document.info.description)}</p>
        <p>This page is made of <a href="/openapi.json">openapi.json</a>, an OpenAPI 3.1 document, also as <a href="/openapi.yaml">YAML</a>. Language models can start at <a href="/llms.txt">llms.txt</a>.</p>
        ${credentials(document)}
        ${document["x-tagGroups"].map((group) => group.tags.map((tag) => section(document, { group: group.name, tag, operations: of(tag) })))}
        ${schemas(document)}
        ${errors(document)}
      </main>
    </div>
  </body>
</html>
`;
  return String(page)
    .replaceAll(/[ \t]+$/gm, "")
    .replaceAll(/\n{2,}/g, "\n");
}

const contents = (
  document: OpenApi,
  of: (tag: string) => readonly Described[],
): Html => html`<nav class="contents" aria-label="Operations">
        <search class="search" hidden>
          <label for="search">Search</label>
          <input id="search" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/" placeholder="Press / to search" />
          <p id="matches" class="soft" role="status"></p>
        </search>
        <ul>
          <li><a href="#credentials">Credentials</a></li>
          ${document["x-tagGroups"].map(
            (group) => html`<li><span>${group.name}</span>
            <ul>${group.tags.map(
              (tag) => html`
              <li><a class="tag" href="#${idOfTag(tag)}">${tag}</a><ul>${of(tag).map(
                ({ operation }) => html`
                <li><a href="#${idOf(operation)}">${operation.summary}</a></li>`,
              )}
              </ul></li>`,
            )}
            </ul></li>`,
          )}
          <li><a href="#schemas">Schemas</a></li>
          <li><a href="#errors">Errors</a></li>
        </ul>
      </nav>`;

const credentials = ({ components }: OpenApi): Html => html`<section aria-labelledby="credentials">
          <h2 id="credentials">Credentials</h2>
          <dl>${Object.entries(components.securitySchemes).map(
            ([name, { name: header = "Authorization", description = "" }]) => html`
            <dt id="credential/${name}"><code>${header}</code></dt><dd>${prose(description)}</dd>`,
          )}
          </dl>
        </section>`;

function section(
  document: OpenApi,
  {
    group,
    tag,
    operations,
  }: { readonly group: string; readonly tag: string; readonly operations: readonly Described[] },
): Html {
  const words = document.tags.find(({ name }) => name === tag)?.description ?? "";
  return html`<section aria-labelledby="${idOfTag(tag)}">
          <p class="group">${group}</p>
          <h2 id="${idOfTag(tag)}">${tag}</h2>
          <p>${prose(words)}</p>
          ${operations.map((described) => article(document, described))}
        </section>`;
}

function article(document: OpenApi, { path, method, operation }: Described): Html {
  const { summary, description = "", parameters = [], requestBody, responses, security = [] } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  const needed = Object.keys(security[0] ?? {}).map(
    (name) => document.components.securitySchemes[name]?.name ?? "Authorization",
  );
  return html`<article id="${idOf(operation)}">
            <div class="words">
              <h3><a href="#${idOf(operation)}">${summary}</a></h3>
              <p class="path"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code></p>
              <p>${prose(description)}</p>
              <p class="soft">${needed.length === 0 ? "No credential." : html`Credential: ${needed.map((name, index) => html`${index > 0 ? ", " : ""}<code>${name}</code>`)}`}</p>
              ${parameters.length === 0 ? "" : parameterTable(parameters)}
              ${body === undefined ? "" : fieldsOf("Body", body, document)}
              ${Object.entries(responses).map(([status, answer]) => response(document, status, answer))}
            </div>
            <div class="samples">${samplesOf(path, method, operation).map(
              ({ name, source }, index) => html`
              <details${index === 0 ? " open" : ""}><summary>${name}</summary><pre tabindex="0" aria-label="${summary}: ${name}"><code>${source}</code></pre></details>`,
            )}${Object.entries(responses).map(([status, answer]) => example(summary, status, answer))}
            </div>
          </article>`;
}

function response(document: OpenApi, status: string, answer: Answer): Html {
  if ("$ref" in answer) {
    const error = nameOf(answer.$ref);
    return html`<p class="answer"><b>${status}</b> <a href="#error/${error}"><code>${error}</code></a></p>`;
  }
  const schema = Number(status) < 300 ? Object.values(answer.content ?? {})[0]?.schema : undefined;
  return html`<p class="answer"><b>${status}</b> ${prose(answer.description)}</p>
              ${schema === undefined ? "" : fieldsOf("Answer", schema, document)}`;
}

function example(summary: string, status: string, answer: Answer): Html | string {
  const shown =
    "content" in answer && Number(status) < 300 ? Object.values(answer.content ?? {})[0]?.example : undefined;
  if (shown === undefined) return "";
  return html`
              <details><summary>${status}</summary><pre tabindex="0" aria-label="${summary}: ${status}"><code>${JSON.stringify(shown, null, 2)}</code></pre></details>`;
}

const schemas = (document: OpenApi): Html => html`<section aria-labelledby="schemas">
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(document.components.schemas).map(
            ([name, schema]) => html`<article id="schema/${name}"><div class="words">
            <h3><a href="#schema/${name}">${name}</a></h3>
            ${fieldsOf("Fields", schema, document)}
          </div></article>`,
          )}
        </section>`;

const errors = ({ components }: OpenApi): Html => html`<section aria-labelledby="errors">
          <h2 id="errors">Errors</h2>
          <p>Every error is a problem document, <a href="#schema/Problem">Problem</a>. Its <code>error</code> is for programs.</p>
          <dl>${Object.entries(components.responses).map(
            ([name, { description }]) => html`
            <dt id="error/${name}"><code>${name}</code></dt><dd>${prose(description.replace(/^`[\w-]+`: /, ""))}</dd>`,
          )}
          </dl>
        </section>`;
