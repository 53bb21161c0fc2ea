/** Request samples of an operation, ready to paste. */
import type { Operation, Parameter } from "./document-types.ts";

/** Stands for the origin of the deployment: the page's script puts in its own. */
const ORIGIN = "https://api.example.com";

const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  apiKey: { "X-API-Key": "ibk_…" },
  compoundToken: { Authorization: "ibt_…" },
  accessClientId: { "CF-Access-Client-Id": "….access", "CF-Access-Client-Secret": "…" },
  operator: { Authorization: "Bearer …" },
};

type Sample = { readonly name: string; readonly language: string; readonly source: string };

export function samplesOf(path: string, method: string, operation: Operation): readonly Sample[] {
  const url = ORIGIN + fill(path, operation.parameters ?? []) + queryOf(operation.parameters ?? []);
  const verb = method.toUpperCase();
  const credentials = Object.keys(operation.security?.[0] ?? {}).flatMap((name) => Object.entries(HEADERS[name] ?? {}));
  const body = operation.requestBody?.content["application/json"]?.example;
  return [
    { name: "curl", language: "shell", source: curl(url, { verb, headers: credentials, body }) },
    {
      name: "fetch",
      language: "javascript",
      source: fetched(url, { verb, credentials, body, reads: hasAnswer(operation) }),
    },
  ];
}

type Headers = readonly (readonly [name: string, value: string])[];

/** Path parameters are the document's examples. */
const fill = (path: string, parameters: readonly Parameter[]): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(parameters.find((one) => one.name === name)?.example ?? name));

/** What the operation cannot do without. */
function queryOf(parameters: readonly Parameter[]): string {
  const required = parameters.filter((one) => one.in === "query" && one.required);
  const search = new URLSearchParams(required.map(({ name, example }) => [name, String(example)]));
  return search.size > 0 ? `?${search}` : "";
}

const hasAnswer = ({ responses }: Operation): boolean =>
  Object.entries(responses).some(([status, answer]) => Number(status) < 300 && "content" in answer);

function curl(
  url: string,
  { verb, headers, body }: { readonly verb: string; readonly headers: Headers; readonly body: unknown },
): string {
  return [
    // Without quotation marks, zsh looks for files that `?` fits.
    `curl ${url.includes("?") ? `'${url}'` : url}`,
    ...(verb === "GET" || (verb === "POST" && body !== undefined) ? [] : [`-X ${verb}`]),
    ...headers.map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`]),
  ].join(" \\\n  ");
}

function fetched(
  url: string,
  {
    verb,
    credentials,
    body,
    reads,
  }: { readonly verb: string; readonly credentials: Headers; readonly body: unknown; readonly reads: boolean },
): string {
  const type = body === undefined ? [] : [["Content-Type", "application/json"] as const];
  const headers = Object.fromEntries([...credentials, ...type]);
  const lines = [
    ...(verb === "GET" ? [] : [`  method: "${verb}",`]),
    ...(Object.keys(headers).length > 0 ? [`  headers: ${JSON.stringify(headers)},`] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
  ];
  const options = lines.length > 0 ? `, {\n${lines.join("\n")}\n}` : "";
  return `const response = await fetch("${url}"${options});${reads ? "\nconsole.log(await response.json());" : ""}`;
}
