/** Which parameters of an address become values of a form, on any page: of a link from elsewhere none. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { addressOfPage, DESK_PAGES, SIGN_IN } from "../../support/desk-pages.ts";
import { createFilledDesk } from "../../support/filled-desk.ts";
import { ELSEWHERE, HERE } from "../../support/links.ts";
import { readForms } from "../../support/read-forms.ts";

const PAGES = DESK_PAGES.filter((page) => page !== SIGN_IN);
const PLANTED = "https://planted.example/x";

/** What the page's forms send, but those that filter a list, and where they lead back to. */
async function valuesOf(html: string): Promise<Set<string>> {
  const forms = await readForms(new Response(html.replace(/<search>.*?<\/search>/gs, "")));
  return new Set(
    forms.flatMap(({ action, fields }) =>
      [...fields]
        .filter(([name]) => !["back", "once", "newKeyId", "was"].includes(name))
        .map(([name, value]) => `${action.split("?")[0]} ${name}=${value}`),
    ),
  );
}

type Plant = readonly [name: string, value: string];
type Desk = Awaited<ReturnType<typeof createFilledDesk>>;

/** The names that the page's forms have, and what each of them can be. */
async function plantsFor({ owner, ids }: Desk, page: string): Promise<readonly Plant[]> {
  const html = await (await owner.isolate.request(addressOfPage(page, ids))).text();
  const outside = html.replace(/<search>.*?<\/search>/gs, "");
  const tags = [...outside.matchAll(/<(?:input|select|textarea)[^>]* name="([^"]+)"[^>]*>/g)];
  const named = tags.map(
    ([tag, name = ""]) => [name, /type="(?:radio|checkbox)"[^>]*value="([^"]*)"/.exec(tag)?.[1] ?? PLANTED] as const,
  );
  const selects = [...outside.matchAll(/<select[^>]* name="([^"]+)".*?<\/select>/gs)].flatMap(([select, name = ""]) =>
    [...select.matchAll(/<option value="([^"]*)"/g)].map(([, value = ""]) => [name, value] as const),
  );
  const known = [
    ["voters", ids.proposalId],
    ["template", "recommend"],
    ["like", ids.apiKeyId],
    ["tells", "nobody"],
    ["q", "long"],
  ] as const;
  return [...named, ...selects, ...known].filter(([name]) => !["back", "once", "was", "do"].includes(name));
}

/** Each name once in a round, with up to three of its values. */
function roundsOf(plants: readonly Plant[]): readonly (readonly Plant[])[] {
  const byName = [...Map.groupBy(plants, ([name]) => name).values()];
  return [0, 1, 2]
    .map((round) => byName.flatMap((values) => values.slice(round, round + 1)))
    .filter((each) => each.length > 0);
}

it("no parameter of a link from elsewhere becomes a value of a form, on any page", async () => {
  const desk = await createFilledDesk({
    bindings: { ...env, OWNER_READS: { limit: async () => ({ success: true }) } },
  });
  const filled = new Set<string>();
  for (const page of PAGES) {
    const address = addressOfPage(page, desk.ids).split("?")[0];
    const ask = async (plants: readonly Plant[], headers: Record<string, string>) => {
      const search = new URLSearchParams(plants.map(([name, value]) => [name, value]));
      const response = await desk.owner.isolate.request(`${address}?${search}`, { headers });
      expect([page, response.status]).not.toEqual([page, 429]);
      return response.status === 200 ? valuesOf(await response.text()) : undefined;
    };
    const plain = (await ask([], HERE)) ?? new Set();
    const newOf = async (plants: readonly Plant[], headers: Record<string, string>) =>
      [...((await ask(plants, headers)) ?? [])].filter((value) => !plain.has(value));
    const together = roundsOf(await plantsFor(desk, page));
    // A page that refuses one of them is asked for each.
    const alone = together.map(async (plants) =>
      (await ask(plants, HERE)) ? [plants] : plants.map((plant) => [plant]),
    );
    for (const plants of (await Promise.all(alone)).flat()) {
      if ((await newOf(plants, HERE)).length === 0) continue;
      filled.add(page);
      for (const headers of ELSEWHERE)
        expect([page, plants, headers, await newOf(plants, headers)]).toEqual([page, plants, headers, []]);
    }
  }
  // A link of the desk does.
  for (const page of ["ideas/new", "surveys/new", "idea-banks/:ideaBankId/embed", "api-keys/new"])
    expect(filled).toContain(`/account/${page}`);
});
