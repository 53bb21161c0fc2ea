/** The examples of the document: one story, the same throughout. */

const survey = {
  id: "Q7rTz0LmX2cV",
  title: "How do you travel to work?",
  description: "Two minutes, six questions.",
  status: "OPEN",
  createdAt: "2026-11-02T09:30:00.000Z",
  updatedAt: "2026-11-03T16:05:12.345Z",
};

const ideaBank = {
  id: "b4nKb4nKb4nK",
  name: "Riverline rider ideas",
  status: "OPEN",
  internal: false,
  changelogEnabled: true,
  changelogMaxEntries: 20,
  createdAt: "2026-11-02T09:30:00.000Z",
};

const proposal = {
  id: "Pr0p0sa1Dark",
  title: "Dark mode",
  description: "Follows the phone's own setting. The map, too.",
  status: "implemented",
  createdAt: "2026-11-05T08:00:00.000Z",
  lastActivityAt: "2026-11-20T12:00:00.000Z",
};

const panelist = {
  id: "Pa7Ne1isT001",
  externalId: "customer-42",
  active: true,
  createdAt: "2026-11-02T09:31:00.000Z",
};

const comment = {
  id: "C0mment00001",
  panelistId: panelist.id,
  body: "Thank you! Finally something for early mornings.",
  createdAt: "2026-11-20T12:30:00.000Z",
};

const apiKey = {
  id: "XtwvMRbXxcwn",
  name: "CRM import",
  lastFour: "q48A",
  state: "active",
  scopes: ["surveys:read", "panelists:write"],
  limit: 600,
  windowSeconds: 60,
  createdAt: "2026-11-02T09:30:00.000Z",
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: "2026-11-20T12:00:00.000Z",
  previous: { expiresAt: "2026-11-21T12:00:00.000Z", lastUsedAt: null },
  usage: [{ hour: "2026-11-20T12:00:00.000Z", admitted: 42, limited: 0 }],
};

const auditEvent = {
  id: "Ev3nt0000001",
  event: "rotated",
  apiKeyId: apiKey.id,
  apiKeyName: apiKey.name,
  actor: "owner@example.com",
  address: "203.0.113.7",
  createdAt: "2026-11-20T12:00:00.000Z",
};

const { title, description } = proposal;

export const EXAMPLES = {
  survey,
  newSurvey: { title: survey.title, description: survey.description },
  surveyChanges: { status: "CLOSED" },
  ideaBank,
  newIdeaBank: { name: ideaBank.name, status: "OPEN", changelogEnabled: true },
  ideaBankChanges: { changelogMaxEntries: 10 },
  proposal,
  newProposal: { title, description },
  proposalChanges: { status: "implemented" },
  comment,
  panelist,
  newPanelist: { externalId: panelist.externalId },
  panelistChanges: { active: false },
  tokenRequest: { externalId: panelist.externalId, lifetimeSeconds: 3_600 },
  issuedToken: {
    token: "ibt_b4nKb4nKb4nKPa7Ne1isT0011xUgy60wW40a1b2c3d4e5f6g7h8",
    panelistId: panelist.id,
    expiresAt: "2026-11-21T10:00:00.000Z",
  },
  apiKey,
  newApiKey: { name: apiKey.name, scopes: apiKey.scopes, expiresInDays: 90 },
  apiKeyChanges: { name: "CRM import, nightly" },
  rotation: { graceSeconds: 86_400 },
  apiKeyList: { items: [apiKey], active: 1, maxActive: 4 },
  shownApiKey: { apiKey, key: "ibk_XtwvMRbXxcwnx8wSjFTlRnKdhMYZ70VjvVOZGBXRgxPq48A" },
  auditEvent,
  whoami: { apiKeyId: "XtwvMRbXxcwn" },
  changelog: { items: [{ title, description, lastModified: 1_795_176_000 }] },
  capabilities: {
    capabilities: {
      canViewChangelog: true,
      canViewProposals: true,
      canSubmitProposals: true,
      canVote: true,
      canComment: true,
    },
  },
} as const;

/** A page that holds one item and is not the last. */
export const pageExample = (item: object) => ({
  items: [item],
  nextCursor: "ibc_0Vj8aD3kb4nKb4nKb4nK1a2b3c4d",
});
