/** The panelist for whom the tenant acts, named by id, or by the tenant's own id for the person. */
import * as z from "zod/mini";
import { Id } from "./id.ts";
import { ExternalId } from "./panelist.ts";

/** Each schema gets new ones, because the OpenAPI document would describe a shared one only once. */
export const actingFor = () => ({ panelistId: z.optional(Id), panelistExternalId: z.optional(ExternalId) });

export type NamedPanelist = {
  readonly panelistId?: string | undefined;
  readonly panelistExternalId?: string | undefined;
};

const error = "must name the panelist by either panelistId or panelistExternalId";

export const namesAtMostOne = z.refine<NamedPanelist>(
  ({ panelistId, panelistExternalId }) => panelistId === undefined || panelistExternalId === undefined,
  { error },
);
export const namesOne = z.refine<NamedPanelist>(
  ({ panelistId, panelistExternalId }) => panelistId !== undefined || panelistExternalId !== undefined,
  { error },
);

export const ACTING_FOR_TEXTS = {
  panelistId: "The panelist for whom you act, by identifier.",
  panelistExternalId:
    "The same, by your own `externalId` for the person. The panelist must exist. Needs the scope `panelists:read`, too.",
};
