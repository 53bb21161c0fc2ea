/** The methods of a path, for the header `Allow`: from the routes themselves. */
type Route = { readonly method: string; readonly path: string };

/** The routes are read when this is first asked. Parts of a path that begin with a colon are anything. */
export function readMethods(routes: () => readonly Route[]): (path: string) => readonly string[] {
  let known: (readonly [pattern: RegExp, method: string])[] | undefined;
  return (path) => {
    known ??= routes()
      .filter(({ method }) => method !== "ALL")
      .map(({ method, path }) => [new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`), method]);
    const methods = known.filter(([pattern]) => pattern.test(path)).map(([, method]) => method);
    return [...new Set(methods.flatMap((method) => (method === "GET" ? [method, "HEAD"] : [method])))];
  };
}
