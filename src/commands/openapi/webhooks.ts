/** The document's `webhooks`: the request that a receiver gets for each type. */
import { exampleDelivery } from "../../worker/model/example-change.ts";
import { DELIVERY_TYPES } from "../../worker/model/webhook.ts";
import { changeKindOf } from "./change-union.ts";

const header = (name: string, description: string, example: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
  example,
});

/** Standard Webhooks 1.0. */
const HEADERS = [
  header("webhook-id", "Identifies the change: the same at each attempt.", "chg_0Vj8aD3kb4nK"),
  header("webhook-timestamp", "When the attempt was made, in Unix seconds.", "1795176000"),
  header(
    "webhook-signature",
    "One signature for each secret that is valid.",
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
  ),
];

export const describeWebhooks = () =>
  Object.fromEntries(
    DELIVERY_TYPES.map((type) => [
      type,
      {
        post: {
          operationId: `receive ${type}`.replace(/[ .-](\w)/g, (_, letter: string) => letter.toUpperCase()),
          tags: ["Changes"],
          summary: `Receive ${type}`,
          description:
            "Answer 2xx within 15 seconds. Any other answer is tried again, and the next change waits until then.",
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              "application/json": {
                schema: { $ref: `#/components/schemas/${changeKindOf(type)}` },
                example: exampleDelivery(type, "2026-11-20T12:00:00.000Z"),
              },
            },
          },
          responses: { "2XX": { description: "The change was received." } },
        },
      },
    ]),
  );
