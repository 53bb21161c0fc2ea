/** A page whose tracing adds headers to every request, as Sentry and OpenTelemetry do. */
import { afterAll, afterEach, beforeAll, expect, inject, it } from "vitest";
import { openStage, type Stage } from "../../support/node/element-stage.ts";

const shared = inject("stage");
let stage: Stage;
beforeAll(async () => {
  stage = await openStage(shared);
});
afterEach(() => stage?.closePages());
afterAll(() => stage?.close());

const TRACING = `
  const send = window.fetch;
  window.fetch = (input, init = {}) => {
    const headers = new Headers(init.headers ?? input.headers);
    for (const name of ["sentry-trace", "baggage", "traceparent", "x-of-this-page"]) headers.set(name, "1");
    return send(input, { ...init, headers });
  };`;

it.each(["board", "changelog"])("the %s shows its ideas on it", async (name) => {
  const bank = await stage.ideaBank({}, [{ title: "Dogs on trains", status: "implemented" }]);
  const { page, complaints } = await stage.page();
  await page.addInitScript(TRACING);
  const head = `<script type="module" src="${stage.api}/embed/${name}.js"></script>`;
  await page.goto(stage.hostPage(`<idea-bank-${name} token="${bank.token}"></idea-bank-${name}>`, { head }));
  await page.getByText("Dogs on trains").first().waitFor();
  expect(complaints).toEqual([]);
});
