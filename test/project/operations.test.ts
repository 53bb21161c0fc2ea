/** Each surface joins the operations of its files: none is left out, and none overwrites another of the same name. */
import { describe, expect, it } from "vitest";
import { ACCOUNT_OPERATIONS } from "../../src/worker/account/api.ts";
import { OPERATOR_OPERATIONS } from "../../src/worker/operator/routes.ts";
import { PANELIST_OPERATIONS } from "../../src/worker/panelist/routes.ts";
import { TENANT_OPERATIONS } from "../../src/worker/tenant/routes.ts";

type Module = Readonly<Record<string, unknown>>;

const MODULES = import.meta.glob<Module>("../../src/worker/{tenant,panelist,account,operator}/**/*.ts", {
  eager: true,
});

/** By folder: the joined operations, and the file that joins them. */
const SURFACES = {
  tenant: { joined: TENANT_OPERATIONS, at: "routes.ts" },
  panelist: { joined: PANELIST_OPERATIONS, at: "routes.ts" },
  account: { joined: ACCOUNT_OPERATIONS, at: "api.ts" },
  operator: { joined: OPERATOR_OPERATIONS, at: "routes.ts" },
};

describe.each(Object.entries(SURFACES))("%s", (folder, { joined, at }) => {
  const defined = Object.entries(MODULES)
    .filter(([path]) => path.includes(`/${folder}/`) && !path.endsWith(`/${folder}/${at}`))
    .flatMap(([path, module]) =>
      Object.entries(module)
        .filter(([name]) => name.endsWith("_OPERATIONS"))
        .flatMap(([, operations]) => Object.keys(Object(operations)).map((name) => ({ name, path }))),
    );

  it("defines each operation once", () => {
    const files = Map.groupBy(defined, ({ name }) => name);
    const twice = [...files]
      .filter(([, each]) => each.length > 1)
      .map(([name, each]) => [name, each.map(({ path }) => path)]);
    expect(twice, "two files define an operation of this name, and one overwrites the other: rename one").toEqual([]);
  });

  it(`joins all of them in ${at}`, () => {
    const missing = defined.filter(({ name }) => !Object.hasOwn(joined, name));
    expect(missing, `add the file's operations to src/worker/${folder}/${at}`).toEqual([]);
    expect(defined).toHaveLength(Object.keys(joined).length);
  });

  it("has no operation that another one answers first", () => {
    const all = Object.entries<{ method: string; path: string }>(joined);
    const shadowed = all.flatMap(([name, { method, path }], index) =>
      all
        .slice(0, index)
        .filter(([, earlier]) => earlier.method === method && takes(earlier.path, path))
        .map(([earlier]) => `${name}: ${earlier}`),
    );
    expect(shadowed, "the first route that matches answers: define the fixed path before the one with {…}").toEqual([]);
  });
});

/** Whether a route of the template `path` takes a request for the other template. */
function takes(path: string, other: string): boolean {
  const [own, others] = [path.split("/"), other.split("/")];
  return own.length === others.length && own.every((part, at) => part.startsWith("{") || part === others[at]);
}
