/** Plays a tenant's own site with its sign-in, where everybody is signed in and led back. */
import type { BrowserContext } from "playwright-core";

export const SITE = "https://customer.example";

/** `token` is that of the person who signs in. Playwright sees no request that follows a redirect, so a page leads there in its place. */
export async function serveSite(context: BrowserContext, token: string): Promise<void> {
  await context.route(/\/sign-in(?:\/elsewhere)?\?/, async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    const { location, "set-cookie": cookie } = response.headers();
    if (location === undefined) return route.fulfill({ response });
    return route.fulfill({
      headers: {
        ...(cookie && { "Set-Cookie": cookie }),
        "Content-Type": "text/html",
        "Referrer-Policy": "no-referrer",
      },
      body: `<script>location.replace(${JSON.stringify(location)})</script>`,
    });
  });
  await context.route(`${SITE}/**`, (route) => {
    const { searchParams } = new URL(route.request().url());
    const arrival = new URLSearchParams({ token, state: searchParams.get("state") ?? "" });
    const back = `${searchParams.get("return")}#${arrival}`;
    return route.fulfill({
      ...{ contentType: "text/html", body: `<script>location.href = ${JSON.stringify(back)}</script>` },
    });
  });
}
