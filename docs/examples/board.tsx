import { useEffect, useRef, useState } from "react";
import type { ChangelogCountEvent, IdeaBankBoard, IdeaBankChangelog } from "./elements.d.ts";
import type {} from "./elements-react.d.ts";

export function Board() {
  const [news, setNews] = useState(0);
  const [isSignedOut, setSignedOut] = useState(false);
  const board = useRef<IdeaBankBoard>(null);
  const changelog = useRef<IdeaBankChangelog>(null);

  useEffect(() => {
    if (!board.current || !changelog.current) return;
    board.current.labels = { suggest: "Suggest something" };
    setSignedOut(board.current.matches(":state(signed-out)"));
    setNews(changelog.current.count ?? 0);
    const signedOut = () => setSignedOut(true);
    const counted = (event: ChangelogCountEvent) => setNews(event.detail.count);
    document.addEventListener("signed-out", signedOut);
    document.addEventListener("changelog-count", counted);
    return () => {
      document.removeEventListener("signed-out", signedOut);
      document.removeEventListener("changelog-count", counted);
    };
  }, []);

  return (
    <>
      <h1>Ideas {news > 0 && <small>{news} new</small>}</h1>
      {isSignedOut && <p>Please sign in.</p>}
      <idea-bank-board ref={board} token-url="/my/panelist-token" heading-level={2} history />
      <idea-bank-launcher>
        <idea-bank-changelog ref={changelog} token-url="/my/panelist-token" />
      </idea-bank-launcher>
    </>
  );
}
