/**
 * The OpenAPI 3.1 document, built from the Worker's own schemas and operations before deployment. It is served as a
 * static asset and costs the Worker nothing.
 */
import packageJson from "../../../package.json" with { type: "json" };
import { AccountEvent } from "../../worker/model/account-event.ts";
import { withChangeUnion } from "./change-union.ts";
import { describeOperation } from "./describe-operation.ts";
import { HEADERS } from "./headers.ts";
import { OPERATIONS } from "./operations.ts";
import { PROBLEM_SCHEMAS, problemResponses } from "./problems.ts";
import { namedSchemas } from "./schemas.ts";
import { describeWebhooks } from "./webhooks.ts";

/** The users of each credential: the reference has a group for each, in this order. */
const READERS = {
  apiKey: "For tenants",
  compoundToken: "For panelists",
  access: "For account owners",
  operator: "For operators",
  none: "For operators",
} as const;
const ORDER = Object.keys(READERS);

/** Throws for a schema without a description, and says where it goes. */
export function buildDocument() {
  const operations = OPERATIONS.toSorted(
    (one, other) => ORDER.indexOf(one.credential.kind) - ORDER.indexOf(other.credential.kind),
  );
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    path[operation.method.toLowerCase()] = describeOperation(operation);
    paths[operation.path] = path;
  }
  const tags = new Map(operations.map(({ tag }) => [tag.name, tag]));
  const groups = Map.groupBy(operations, ({ credential }) => READERS[credential.kind]);
  return {
    openapi: "3.1.0",
    info: {
      title: "Edge access API",
      version: packageJson.version,
      description:
        "The public API of a survey and idea-collection platform. Tenants use an API key. Panelists use a compound token that a " +
        "tenant issued. Account owners sign in with Cloudflare Access. Every error is a problem document (RFC 9457).",
      contact: { name: "The operator of this deployment" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...tags.values()],
    "x-tagGroups": [...groups].map(([name, members]) => ({
      name,
      tags: [...new Set(members.map(({ tag }) => tag.name))],
    })),
    paths,
    webhooks: describeWebhooks(),
    components: {
      securitySchemes: {
        apiKey: {
          type: "apiKey",
          in: "header",
          name: "X-API-Key",
          description: "An account owner creates it in Account Settings. `ibk_` and 47 base62 digits.",
        },
        compoundToken: {
          type: "apiKey",
          in: "header",
          name: "Authorization",
          description:
            "The raw token of a panelist (`ibt_` and 51 base62 digits) or of a visitor (`ibv_` and 40). `Bearer <token>` is accepted too. Where a browser shall ask nothing before a `GET`: `Accept: application/json;token=<token>`.",
        },
        accessClientId: {
          type: "apiKey",
          in: "header",
          name: "CF-Access-Client-Id",
          description: "A Cloudflare Access service token that acts for an account owner. A browser signs in instead.",
        },
        accessClientSecret: {
          type: "apiKey",
          in: "header",
          name: "CF-Access-Client-Secret",
          description: "The secret of the service token.",
        },
        operator: {
          type: "http",
          scheme: "bearer",
          description: "The deployment's `OPERATOR_SECRET`. Without that setting there is no such operation: 404.",
        },
      },
      headers: HEADERS,
      schemas: { ...withChangeUnion(namedSchemas(operations, [AccountEvent])), ...PROBLEM_SCHEMAS },
      responses: problemResponses(operations),
    },
  };
}
