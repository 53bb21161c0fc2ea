/** The filters of the page of the activity. */
import * as z from "zod/mini";
import { EVENT_KINDS } from "../../database/found-events.ts";
import { Id } from "../../model/id.ts";
import { PAGE_PARAMETERS } from "../../model/pagination.ts";
import { oneOf } from "../../model/text.ts";

/** A day of UTC, such as 2026-11-27. */
const Day = z.string().check(
  z.regex(/^\d{4}-\d\d-\d\d$/, "must be a day, such as 2026-11-27"),
  z.refine((day) => !Number.isNaN(Date.parse(day)), "must be a day that exists"),
);

export const Filters = z.strictObject({
  ...PAGE_PARAMETERS,
  apiKeyId: z.optional(Id),
  who: z.optional(z.string().check(z.maxLength(320))),
  what: z.optional(oneOf(EVENT_KINDS)),
  from: z.optional(Day),
  to: z.optional(Day),
});
export type Filters = z.infer<typeof Filters>;
