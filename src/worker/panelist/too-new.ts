/** The refusal of somebody who has signed in on a page for the first time, and has written a lot since. */
import { FIRST_HOUR, type Written } from "../database/pages/new-people.ts";
import { Problem } from "../problem.ts";

/** `seconds`: until more can be written. Undefined when something else has refused the write. */
export const tooNew = (what: Written, seconds: number | undefined): Problem =>
  seconds === undefined
    ? new Problem("forbidden")
    : new Problem("too-many-requests", {
        detail: `In the first hour after signing in, ${FIRST_HOUR[what]} ${what} can be written. Wait for the seconds in \`Retry-After\`.`,
        headers: { "Retry-After": String(Math.max(1, Math.ceil(seconds))) },
        extensions: { "violated-policies": [`new-people-${what}`] },
      });
