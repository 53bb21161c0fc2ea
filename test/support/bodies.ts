/** Request bodies that come slowly, or never to their end. */

/** Nothing but `begin` of it comes until it is ended. `taken` resolves when `begin` was read, and more is waited for. */
export function slowBody(begin = "") {
  const [end, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const pieces = begin === "" ? [] : [new TextEncoder().encode(begin)];
  let wasAsked = false;
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        wasAsked = true;
        const piece = pieces.shift();
        if (piece !== undefined) return controller.enqueue(piece);
        taken.resolve();
        await end.promise;
        controller.close();
      },
      cancel: () => end.resolve(),
    },
    { highWaterMark: 0 },
  );
  return { readable, end: () => end.resolve(), taken: taken.promise, wasAsked: () => wasAsked };
}
