/** The idea bank elements 1.1.2 in JSX, for React 19 and later. Needs elements.d.ts beside it. */
import type { DetailedHTMLProps, HTMLAttributes } from "react";
import type {
  BoardLabel,
  ChangelogCountEvent,
  ChangelogLabel,
  IdeaBankAttributes,
  IdeaBankBoard,
  IdeaBankChangelog,
  IdeaBankLauncher,
  IdeaBankRoadmap,
  IdeaBankSettings,
  RoadmapLabel,
  SignedOutEvent,
} from "./elements.d.ts";

type Html<Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element>;
type Loading<Element, Label extends string> = Html<Element> &
  Partial<Omit<IdeaBankSettings<Label>, "restart">> &
  IdeaBankAttributes & { "onsigned-out"?: (event: SignedOutEvent) => void };

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "idea-bank-changelog": Omit<Loading<IdeaBankChangelog, ChangelogLabel>, "proposal" | "history"> & {
        "onchangelog-count"?: (event: ChangelogCountEvent) => void;
      };
      "idea-bank-board": Loading<IdeaBankBoard, BoardLabel>;
      "idea-bank-roadmap": Loading<IdeaBankRoadmap, RoadmapLabel>;
      "idea-bank-launcher": Html<IdeaBankLauncher> &
        Partial<Pick<IdeaBankLauncher, "labels">> & { label?: string; inline?: boolean };
    }
  }
}
