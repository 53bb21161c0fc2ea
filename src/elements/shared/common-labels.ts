/** The words that every element has that loads something. */
import type { Labels } from "./labels.ts";

export const COMMON_LABELS = {
  loading: "Loading…",
  retry: "Try again",
  // The others are by the `error` of the API's answer.
  "not-signed-in": "You are not signed in.",
  signIn: "Sign in",
  unauthorized: "Your session has ended. Sign in again.",
  offline: "No connection. Check your network.",
  "too-many-requests": {
    one: "Too many requests. Try again in {count} second.",
    other: "Too many requests. Try again in {count} seconds.",
  },
  "service-unavailable": "That isn’t possible right now. Try again in a moment.",
  failed: "Something went wrong. Try again in a moment.",
} satisfies Labels;
