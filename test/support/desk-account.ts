/** An account in which each page of Account Settings has something to show, made as its owner and its server make it. */

/** Sends one request, and answers its JSON. Throws if it is refused. */
export type SendJson = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

/** Under the names that the routes' parameters have. */
export type DeskIds = {
  readonly ideaBankId: string;
  readonly proposalId: string;
  readonly otherProposalId: string;
  readonly pendingProposalId: string;
  readonly panelistId: string;
  readonly commentId: string;
  readonly surveyId: string;
  readonly apiKeyId: string;
  readonly webhookId: string;
  readonly memberId: string;
};

type Created = { readonly id: string };
type Senders = {
  /** `/account/api`, and who is signed in there. */
  readonly asOwner: SendJson;
  /** `/tenant`, with a key of the account. */
  readonly asTenant: SendJson;
};

/** A line without a place to break it, and one that is longer than a phone is wide. */
const UNBROKEN = "w".repeat(60);
const LONG = "A long title that goes on and on, so that a line of a narrow screen has no room for it by any means";

/** `name` is in whatever a page can show of the account. */
export async function fillDesk({ asOwner, asTenant }: Senders, name: string): Promise<DeskIds> {
  const create = async (path: string, body: object) => (await asTenant<Created>("POST", path, body)).id;
  const settings = { status: "OPEN", changelogEnabled: true, publicPage: true, approvalRequired: false };
  const ideaBankId = await create("/ideabanks", { name: `${name}’s board ${UNBROKEN}`, ...settings });
  const ideas = `/ideabanks/${ideaBankId}/proposals`;
  const { panelistId } = await asTenant<{ panelistId: string }>("POST", `/ideabanks/${ideaBankId}/tokens`, {
    externalId: `${name}-${UNBROKEN}`,
    displayName: `${name} ${UNBROKEN}`,
  });
  const [title, description] = [`${name}: ${LONG}`, `${name}\nEvery hour.`];
  const proposalId = await create(ideas, { title, description, tags: [name, "w".repeat(32)] });
  const otherProposalId = await create(ideas, { title: `${name} ${UNBROKEN}`, status: "planned" });
  const pendingProposalId = await create(ideas, { title: `${title}?`, visibility: "pending", panelistId });
  const response = { text: `${name} ${UNBROKEN}` };
  await create(ideas, { title: `${name}, hidden`, visibility: "hidden", status: "declined", response });
  await asTenant("PUT", `${ideas}/${proposalId}/votes/${panelistId}`);
  const commentId = await create(`${ideas}/${proposalId}/comments`, { body: `${name} ${UNBROKEN}`, panelistId });
  await create(`${ideas}/${proposalId}/comments`, { body: `${name} is on it.` });
  await create("/surveys", {
    title: `${title}, elsewhere`,
    description,
    status: "OPEN",
    url: `https://${name}.example.com/`,
  });
  const surveyId = await create("/surveys", {
    ...{ title, description, ideaBankId, status: "OPEN", audience: { votersOf: proposalId } },
    questions: [
      {
        kind: "scale",
        id: "often",
        title: `${name}: how often? ${UNBROKEN}`,
        required: true,
        lowLabel: name,
        highLabel: UNBROKEN,
      },
      {
        ...{ kind: "choices", id: "uses", title, other: true, showIf: { question: "often", anyOf: [3, 4, 5] } },
        options: [{ label: `${name} ${UNBROKEN}` }, { label: LONG }, { label: "None of these", exclusive: true }],
      },
      { kind: "text", id: "why", title: `${name}: why?`, help: `${name}\n${UNBROKEN}`, long: true },
    ],
  });
  await asTenant("PUT", `/surveys/${surveyId}/responses/by-external-id/${name}-${UNBROKEN}`, {
    answers: { often: 4, uses: ["o2", { other: `${name} ${UNBROKEN}` }], why: `${name}: ${LONG}` },
  });
  const { apiKey } = await asOwner<{ apiKey: Created }>("POST", "/keys", { name: `${name}’s key ${UNBROKEN}` });
  const url = `https://${name}.example.com/${UNBROKEN}`;
  const { webhook } = await asOwner<{ webhook: Created }>("POST", "/webhooks", { url });
  const email = `${name}-${UNBROKEN.slice(40)}@example.com`;
  const { id: memberId } = await asOwner<Created>("POST", "/members", { email });
  return {
    ...{ ideaBankId, proposalId, otherProposalId, pendingProposalId, panelistId, commentId, surveyId },
    ...{ apiKeyId: apiKey.id, webhookId: webhook.id, memberId },
  };
}
