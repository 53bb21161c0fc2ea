/** A tenant with one open idea bank, and its panelists, who all talk through one isolate. */
import { createIsolate, type Isolate } from "./isolate.ts";
import { createTenant } from "./tenant.ts";
import { addIdeaBank, addPanelist, type IdeaBankOptions, newId, tokenFor } from "./world.ts";

export const PROPOSALS = "/ideabank/proposals";
export const CHANGELOG = "/public/ideabank/changelog";

/** The path of a list of proposals. */
export function listPath(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return `${PROPOSALS}?${new URLSearchParams(given)}`;
}

export type Panelist = Awaited<ReturnType<Panel["panelist"]>>;
export type Panel = Awaited<ReturnType<typeof createPanel>>;

/** Sends as the holder of a token. A body that is not a string is sent as JSON. */
export const sendWith =
  (isolate: Isolate, token: string) =>
  (method: string, path: string, json?: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    isolate.request(path, {
      method,
      headers: {
        Authorization: token,
        ...(json === undefined ? {} : { "Content-Type": "application/json" }),
        ...headers,
      },
      body: json === undefined ? null : typeof json === "string" ? json : JSON.stringify(json),
    });

export async function createPanel(options: IdeaBankOptions = {}, isolate: Isolate = createIsolate()) {
  const bank = await addIdeaBank(options);
  const tenant = await createTenant({ accountId: bank.accountId }, isolate);
  const path = `/tenant/ideabanks/${bank.id}`;

  const panelist = async (displayName: string | null = null) => {
    const externalId = `external-${newId()}`;
    const id = await addPanelist(bank.accountId, { externalId, displayName });
    const token = await tokenFor(bank.id, id);
    const send = sendWith(isolate, token);
    return {
      id,
      externalId,
      token,
      send,
      /** The id of a new proposal of this panelist. */
      submit: async (title = "A proposal", description = "What it is about.") => {
        const response = await send("POST", PROPOSALS, { title, description });
        if (response.status !== 201) throw new Error(await response.text());
        return (await response.json<{ id: string }>()).id;
      },
      read: async <Body>(path: string) => (await send("GET", path)).json<Body>(),
    };
  };

  return {
    bank,
    tenant,
    isolate,
    panelist,
    /** As the tenant, below the idea bank; throws when it is refused. */
    manage: async (method: string, below: string, body?: unknown) => {
      const response = await tenant.send(method, path + below, body);
      if (!response.ok) throw new Error(`${method} ${below}: ${response.status} ${await response.text()}`);
      return response;
    },
    /** The id of a new proposal of the tenant. */
    propose: async (fields: object = {}) => {
      const response = await tenant.send("POST", `${path}/proposals`, { title: "The tenant's", ...fields });
      return (await response.json<{ id: string }>()).id;
    },
  };
}
