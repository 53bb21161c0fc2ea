/** Every operation of the API as the document describes it: the tenant's from their own table, and the panelist's two. */
import { ACCOUNT_OPERATIONS } from "../account/operations.ts";
import { OPERATIONS, type Operation, type OperationName } from "../tenant/operations.ts";
import { ACCOUNT_ANSWERS, TENANT_ANSWERS } from "./answers.ts";
import { ANSWERS, type Answer } from "./schemas.ts";

export type DocumentedOperation = Omit<Operation, "scope"> & {
  readonly name: string;
  readonly tag: "Tenant" | "Surveys" | "Idea banks" | "Proposals" | "Panelists" | "Panelist API" | "Account Settings";
  readonly scope?: Operation["scope"];
  readonly credential: "apiKey" | "compoundToken" | "access";
  readonly summary: string;
  readonly description?: string;
  readonly answer: Answer;
};

const CHANGELOG: DocumentedOperation = {
  name: "getChangelog",
  tag: "Panelist API",
  method: "GET",
  path: "/public/ideabank/changelog",
  credential: "compoundToken",
  summary: "Read the idea bank's changelog",
  description:
    "The proposals that have been implemented, newest first by last activity, at most the idea bank's configured maximum. " +
    "There are no pages; any `cursor` or `limit` is ignored. A closed changelog answers as an idea bank that does not exist.",
  answer: { status: 200, ...ANSWERS.Changelog, conditional: true },
};

const CAPABILITIES: DocumentedOperation = {
  name: "getCapabilities",
  tag: "Panelist API",
  method: "GET",
  path: "/ideabank",
  credential: "compoundToken",
  summary: "Read what the idea bank allows",
  answer: { status: 200, ...ANSWERS.Capabilities },
};

const tagOf = (path: string): DocumentedOperation["tag"] => {
  if (path.includes("/proposals")) return "Proposals";
  if (path.includes("/surveys")) return "Surveys";
  if (path.includes("/tokens") || path.includes("/panelists")) return "Panelists";
  return path.includes("/ideabanks") ? "Idea banks" : "Tenant";
};

const TENANT = (Object.entries(OPERATIONS) as [OperationName, Operation][]).map(
  ([name, operation]): DocumentedOperation => ({
    name,
    tag: tagOf(operation.path),
    credential: "apiKey",
    ...operation,
    ...TENANT_ANSWERS[name],
  }),
);

const ACCOUNT = (
  Object.entries(ACCOUNT_OPERATIONS) as [keyof typeof ACCOUNT_OPERATIONS, Omit<Operation, "scope">][]
).map(
  ([name, operation]): DocumentedOperation => ({
    name,
    tag: "Account Settings",
    credential: "access",
    ...operation,
    ...ACCOUNT_ANSWERS[name],
  }),
);

export const DOCUMENTED_OPERATIONS: readonly DocumentedOperation[] = [...TENANT, CHANGELOG, CAPABILITIES, ...ACCOUNT];
