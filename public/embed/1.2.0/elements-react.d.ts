/** The idea bank elements 1.2.0 in JSX, for React 19 and later. Needs elements.d.ts beside it. */
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
  IdeaBankSurvey,
  RoadmapLabel,
  SignedOutEvent,
  SurveyAnsweredEvent,
  SurveyCountEvent,
  SurveyLabel,
} from "./elements.d.ts";

type Html<Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element>;
type Loading<Element, Label extends string> = Html<Element> &
  Partial<Omit<IdeaBankSettings<Label>, "restart">> &
  IdeaBankAttributes & { "onsigned-out"?: (event: SignedOutEvent) => void };

type BoardAttributes = "proposal" | "history" | "idea-url" | "home-url";

declare module "react" {
  namespace JSX {
    interface IntrinsicElements {
      "idea-bank-changelog": Omit<
        Loading<IdeaBankChangelog, ChangelogLabel>,
        Exclude<BoardAttributes, "history"> | "survey" | "layout"
      > & {
        "onchangelog-count"?: (event: ChangelogCountEvent) => void;
      };
      "idea-bank-board": Omit<Loading<IdeaBankBoard, BoardLabel>, "survey" | "layout">;
      "idea-bank-roadmap": Omit<Loading<IdeaBankRoadmap, RoadmapLabel>, "survey" | "layout">;
      "idea-bank-survey": Omit<Loading<IdeaBankSurvey, SurveyLabel>, BoardAttributes> & {
        preview?: object;
        "onsurvey-count"?: (event: SurveyCountEvent) => void;
        "onsurvey-answered"?: (event: SurveyAnsweredEvent) => void;
      };
      "idea-bank-launcher": Html<IdeaBankLauncher> &
        Partial<Pick<IdeaBankLauncher, "labels">> & { label?: string; inline?: boolean };
    }
  }
}
