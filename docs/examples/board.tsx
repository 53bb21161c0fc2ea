import "./elements-react.d.ts";
import { useState } from "react";

const tokenProvider = async () => (await fetch("/my/panelist-token")).text();

export function Board() {
  const [news, setNews] = useState(0);
  const [isSignedOut, setSignedOut] = useState(false);
  return (
    <>
      <h1>Ideas {news > 0 && <small>{news} new</small>}</h1>
      {isSignedOut && <p>Please sign in.</p>}
      <idea-bank-board
        tokenProvider={tokenProvider}
        heading-level={2}
        labels={{ suggest: "Suggest something" }}
        onsigned-out={() => setSignedOut(true)}
      />
      <idea-bank-launcher>
        <idea-bank-changelog tokenProvider={tokenProvider} onchangelog-count={(event) => setNews(event.detail.count)} />
      </idea-bank-launcher>
    </>
  );
}
