/** A tenant with one idea bank and some panelists, made through the API of a server that `npm run dev` runs. */

export type Panelist = { readonly id: string; readonly token: string };
export type Scene = {
  readonly apiKey: string;
  /** A key that the load keeps at its limit. */
  readonly limited: { readonly id: string; readonly text: string };
  readonly ideaBankId: string;
  readonly panelists: readonly Panelist[];
};

export const LIMIT = 200;
export const WINDOW_MS = 60_000;
export const CHANGELOG_ENTRIES = 20;

type Send = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: object };

/** Sends JSON. Rejects when there is no answer. */
export async function send(
  url: string,
  { method = "GET", headers = {}, body }: Send = {},
): Promise<{ status: number; json: Record<string, unknown>; text: string; headers: Headers }> {
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await response.text();
  const isJson = response.headers.get("Content-Type")?.includes("json") ?? false;
  return { status: response.status, json: isJson ? JSON.parse(text) : {}, text, headers: response.headers };
}

/** The answer's body, of a request that must succeed. */
export async function ask(url: string, init: Send = {}): Promise<Record<string, unknown>> {
  const { status, json, text } = await send(url, init);
  if (status >= 300) throw new Error(`${init.method ?? "GET"} ${url}: ${status} ${text}`);
  return json;
}

/** A new API key of the account that `npm run dev` signs in. */
export async function createKey(url: string, fields: object): Promise<{ id: string; text: string }> {
  const { apiKey, key } = (await ask(`${url}/account/api/keys`, { method: "POST", body: fields })) as {
    apiKey: { id: string };
    key: string;
  };
  return { id: apiKey.id, text: key };
}

/** A new token of the panelist that the tenant knows by this id. */
export async function issueToken(
  url: string,
  apiKey: string,
  ideaBankId: string,
  externalId: string,
): Promise<Panelist> {
  const { token, panelistId } = (await ask(`${url}/tenant/ideabanks/${ideaBankId}/tokens`, {
    method: "POST",
    headers: { "X-API-Key": apiKey },
    body: { externalId },
  })) as { token: string; panelistId: string };
  return { id: panelistId, token };
}

export async function createScene(url: string, panelists: number): Promise<Scene> {
  const { text: apiKey } = await createKey(url, { name: "Load", limit: 10_000, windowSeconds: 1 });
  const limited = await createKey(url, { name: "Limited", limit: LIMIT, windowSeconds: WINDOW_MS / 1000 });
  const bank = await ask(`${url}/tenant/ideabanks`, {
    method: "POST",
    headers: { "X-API-Key": apiKey },
    body: { name: "Under load", status: "OPEN", changelogEnabled: true, changelogMaxEntries: CHANGELOG_ENTRIES },
  });
  const ideaBankId = String(bank.id);
  const tokens: Panelist[] = [];
  for (let index = 0; index < panelists; index++)
    tokens.push(await issueToken(url, apiKey, ideaBankId, `panelist ${index}`));
  return { apiKey, limited, ideaBankId, panelists: tokens };
}
