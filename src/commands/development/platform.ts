/**
 * Plays the platform under `npm run dev`: a page that asks for a sign-in, as a platform's own server does for a customer who is signed in
 * there. It only answers requests for localhost from its own page, so no foreign page can use the operator's secret through it.
 */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Platform = { readonly api: string; readonly operatorSecret: string };

const FORM = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>The platform</title><style>body { font: 1rem/1.5 system-ui; max-width: 34rem; margin: 3rem auto; padding: 0 1rem }
label { display: block; margin: 1rem 0 } input, select { display: block; width: 100%; font: inherit; padding: 0.4rem; box-sizing: border-box } button { font: inherit; padding: 0.5rem 1rem }</style></head>
<body><main><h1>The platform</h1><p>This page plays the platform, which knows its customers. Its button does what the platform's server does:
it sends <code>POST /operator/sign-ins</code>, and leads the browser to the answer's URL.</p>
<form method="post"><label>Customer <input name="email" type="email" required value="customer@example.com" autocomplete="off"></label>
<label>Page <select name="returnTo"><option>/account/api-keys</option><option>/account/idea-banks</option><option>/account/members</option></select></label>
<button>Open Account Settings</button></form></main></body></html>`;

async function readFields(request: IncomingMessage): Promise<URLSearchParams> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  return new URLSearchParams(body);
}

/** The URL that the platform's server leads its customer to. */
async function askForSignIn({ api, operatorSecret }: Platform, fields: URLSearchParams): Promise<string> {
  const response = await fetch(`${api}/operator/sign-ins`, {
    method: "POST",
    headers: { Authorization: `Bearer ${operatorSecret}`, "Content-Type": "application/json" },
    body: JSON.stringify(Object.fromEntries(fields)),
  });
  if (!response.ok) throw new Error(await response.text());
  return ((await response.json()) as { url: string }).url;
}

async function answer(platform: Platform, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { host, origin } = request.headers;
  if (!/^localhost:\d+$/.test(host ?? "") || (request.method === "POST" && origin !== `http://${host}`)) {
    response.writeHead(403).end();
  } else if (request.method === "POST") {
    response.writeHead(303, { Location: await askForSignIn(platform, await readFields(request)) }).end();
  } else {
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" }).end(FORM);
  }
}

/** Its address, on a port that is free. It ends with the process. */
export async function playPlatform(platform: Platform): Promise<string> {
  const server = createServer((request, response) => {
    answer(platform, request, response).catch((error: Error) => response.writeHead(502).end(error.message));
  });
  await once(server.listen(0, "localhost").unref(), "listening");
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}
