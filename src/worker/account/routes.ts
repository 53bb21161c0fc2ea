/** What people open in a browser under `/account`. Of two lines that match a path, the upper one answers. */
import { ACTIVITY_PAGE } from "./activity/activity-page.tsx";
import { COMMENTS_PAGE } from "./comments/comments-page.tsx";
import { EXPORT_COMMENTS_PAGE } from "./exports/comments-export.tsx";
import { EXPORT_IDEAS_PAGE } from "./exports/ideas-export.tsx";
import { EXPORT_PEOPLE_PAGE } from "./exports/people-export.tsx";
import { PERSON_FILE } from "./exports/person-file.ts";
import { EXPORT_VOTERS_PAGE } from "./exports/voters-export.tsx";
import type { DeskRoute } from "./frame/page.tsx";
import { UNDO } from "./frame/undo.tsx";
import { CODE_RENEWED, HOME_PAGE, HOME_PAGE_WITH_SLASH } from "./home/home-page.tsx";
import { EMBED_PAGE } from "./idea-banks/embed-page.tsx";
import { IDEA_BANKS_PAGE } from "./idea-banks/list-page.tsx";
import { PREVIEW, PUBLIC_PAGE_PREVIEW } from "./idea-banks/preview.ts";
import { PUBLIC_PAGE } from "./idea-banks/public-page.tsx";
import { SETTINGS_PAGE } from "./idea-banks/settings-page.tsx";
import { OLD_LIST, OLD_PAGE } from "./ideas/approval.tsx";
import { DELETE_SEVERAL_PAGE, MERGE_SEVERAL_PAGE } from "./ideas/confirm-several-page.tsx";
import { HISTORY_PAGE } from "./ideas/history-page.tsx";
import { IDEA_PAGE } from "./ideas/idea-page.tsx";
import { MERGE_PAGE } from "./ideas/merge-page.tsx";
import { NEW_IDEA_PAGE } from "./ideas/new-idea-page.tsx";
import { PUBLISH_PAGE } from "./ideas/publish-page.tsx";
import { PUBLISH_SEVERAL_PAGE } from "./ideas/publish-several-page.tsx";
import { BOARD_PAGE, IDEAS_PAGE } from "./ideas/queue-page.tsx";
import { ROADMAP_PAGE } from "./ideas/roadmap-page.tsx";
import { SUGGESTED_IDEAS } from "./ideas/suggested-ideas.ts";
import { SUGGESTED_PEOPLE } from "./ideas/suggested-people.ts";
import { VOTERS_PAGE } from "./ideas/voters-page.tsx";
import { WRITING } from "./ideas/writing.tsx";
import { IMPORT_PAGE } from "./import/import-page.tsx";
import { CHANGE_KEY_PAGE } from "./keys/change-page.tsx";
import { ROTATE_KEY } from "./keys/key-actions.tsx";
import { KEY_PAGE, USAGE_CSV } from "./keys/key-page.tsx";
import { LEAKED_KEY_PAGE } from "./keys/leaked-page.tsx";
import { API_KEYS_PAGE } from "./keys/list-page.tsx";
import { NEW_KEY_PAGE } from "./keys/new-key-page.tsx";
import { REVOKE_KEY_PAGE } from "./keys/revoke-page.tsx";
import { ACCOUNTS_PAGE } from "./members/accounts-page.tsx";
import { EMAILS_PAGE } from "./members/emails-page.tsx";
import { MEMBER_PAGE } from "./members/member-page.tsx";
import { MEMBERS_PAGE } from "./members/members-page.tsx";
import { PROFILE_PAGE } from "./members/profile-page.tsx";
import { REMOVE_MEMBER_PAGE } from "./members/remove-member-page.tsx";
import { CLEAR_PAGE } from "./people/clear-page.tsx";
import { PEOPLE_PAGE } from "./people/people-page.tsx";
import { PERSON_PAGE } from "./people/person-page.tsx";
import { EDIT_SURVEY_PAGE } from "./surveys/edit-page.tsx";
import { SURVEYS_PAGE } from "./surveys/list-page.tsx";
import { NEW_SURVEY_PAGE } from "./surveys/new-page.tsx";
import { SURVEY_RESPONSES_CSV } from "./surveys/responses-file.ts";
import { SURVEY_PAGE } from "./surveys/survey-page.tsx";
import { SURVEY_TEXTS_PAGE } from "./surveys/texts-page.tsx";
import { END_TOKENS_PAGE } from "./tokens/end-tokens-page.tsx";
import { TRY_TOKEN_PAGE } from "./tokens/try-page.tsx";
import { WEBHOOKS_PAGE } from "./webhooks/list-page.tsx";
import { NEW_WEBHOOK_PAGE } from "./webhooks/new-webhook-page.tsx";
import { WEBHOOK_PAGE } from "./webhooks/webhook-page.tsx";

export const ROUTES: readonly DeskRoute[] = [
  HOME_PAGE,
  HOME_PAGE_WITH_SLASH,
  CODE_RENEWED,
  API_KEYS_PAGE,
  NEW_KEY_PAGE,
  KEY_PAGE,
  ...USAGE_CSV,
  ROTATE_KEY,
  CHANGE_KEY_PAGE,
  REVOKE_KEY_PAGE,
  LEAKED_KEY_PAGE,
  ACTIVITY_PAGE,
  MEMBERS_PAGE,
  MEMBER_PAGE,
  REMOVE_MEMBER_PAGE,
  PROFILE_PAGE,
  ACCOUNTS_PAGE,
  EMAILS_PAGE,
  IDEAS_PAGE,
  EXPORT_IDEAS_PAGE,
  EXPORT_COMMENTS_PAGE,
  ROADMAP_PAGE,
  MERGE_SEVERAL_PAGE,
  DELETE_SEVERAL_PAGE,
  PUBLISH_SEVERAL_PAGE,
  IMPORT_PAGE,
  NEW_IDEA_PAGE,
  SUGGESTED_IDEAS,
  IDEA_PAGE,
  PUBLISH_PAGE,
  MERGE_PAGE,
  VOTERS_PAGE,
  EXPORT_VOTERS_PAGE,
  HISTORY_PAGE,
  WRITING,
  OLD_LIST,
  OLD_PAGE,
  COMMENTS_PAGE,
  IDEA_BANKS_PAGE,
  BOARD_PAGE,
  SETTINGS_PAGE,
  EMBED_PAGE,
  PREVIEW,
  PUBLIC_PAGE,
  PUBLIC_PAGE_PREVIEW,
  UNDO,
  SURVEYS_PAGE,
  NEW_SURVEY_PAGE,
  SURVEY_PAGE,
  EDIT_SURVEY_PAGE,
  SURVEY_TEXTS_PAGE,
  SURVEY_RESPONSES_CSV,
  PEOPLE_PAGE,
  SUGGESTED_PEOPLE,
  EXPORT_PEOPLE_PAGE,
  PERSON_PAGE,
  PERSON_FILE,
  CLEAR_PAGE,
  TRY_TOKEN_PAGE,
  END_TOKENS_PAGE,
  WEBHOOKS_PAGE,
  NEW_WEBHOOK_PAGE,
  WEBHOOK_PAGE,
];
