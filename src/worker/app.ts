/** The whole application in one isolate: the front door and Account Settings, each with a memory and bindings of its own. */
import { createAccountSettings, type OwnBindings } from "./account/app.ts";
import { type Identify, identifyByAccess } from "./account/identity.ts";
import { type Send, sendByFetch } from "./changes/send.ts";
import { bindingsOf } from "./database/choose-database.ts";
import { createFrontDoor } from "./front-door.ts";
import { type Later, runLater } from "./memory/deadline.ts";

/** With an empty memory, as a new isolate has it. `identify` finds the account owner; the others are the front door's. */
export function createApp(identify: Identify = identifyByAccess, later: Later = runLater, send: Send = sendByFetch) {
  const accountSettings = createAccountSettings(identify, send);
  const frontDoor = createFrontDoor(later, send, (env, executionCtx) => {
    const own: OwnBindings = {
      ...Object.fromEntries(bindingsOf(env)),
      DB: env.DB,
      ...(env.REQUESTS !== undefined && { REQUESTS: env.REQUESTS }),
    };
    return { serve: (request, call) => accountSettings.serve(request, call, own, executionCtx) };
  });
  return { routes: [...frontDoor.routes, ...accountSettings.routes], fetch: frontDoor.fetch };
}
