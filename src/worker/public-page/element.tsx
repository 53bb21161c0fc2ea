/** One of our elements, with what the server has made of it: read as it is without JavaScript, and taken over in place with it. */

import { raw } from "hono/html";
import { translationFor } from "#markup";
import { ideaPathOf, pagePathOf } from "../model/page-path.ts";
import { type ElementName, type Frame, linkTo, partPath } from "./frame.ts";

type ElementProps = {
  readonly frame: Frame;
  readonly name: ElementName;
  /** HTML of `#markup`. */
  readonly markup: string;
  /** What the markup was made from, as the API answers it: the element asks for nothing again. */
  readonly initial?: object;
  readonly attributes?: Readonly<Record<string, string>>;
};

/** A `<` could end the element that holds it. */
const toJson = (value: object): string => JSON.stringify(value).replaceAll("<", "\\u003c");

export const Element = ({ frame, name, markup, initial, attributes = {} }: ElementProps) => {
  const { id, board, hasSignIn } = frame;
  const Tag = `idea-bank-${name}`;
  const translation = translationFor(frame.language, name);
  const given =
    frame.isPreview || (initial === undefined && translation === undefined) ? undefined : { ...initial, translation };
  const isBoard = name === "board" || name === "roadmap";
  const own = {
    "heading-level": "1",
    "token-url": `/b/${id}/token`,
    ...(hasSignIn && {
      "sign-in-url": `/b/${id}/sign-in?${frame.named ? `lang=${frame.language}&` : ""}return={page}`,
    }),
    ...(isBoard && {
      history: "",
      "idea-url": linkTo(frame, ideaPathOf({ id, name: board.name }, "{idea}")),
      // Where an open idea leads back to.
      "home-url": linkTo(frame, name === "board" ? pagePathOf({ id, name: board.name }) : partPath(frame, "roadmap")),
    }),
    ...attributes,
  };
  return (
    <Tag {...own}>
      {raw(markup)}
      {given && (
        <script type="application/json" class="initial">
          {raw(toJson(given))}
        </script>
      )}
    </Tag>
  );
};
