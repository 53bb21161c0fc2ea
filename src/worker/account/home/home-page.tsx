/** `/account`: what is left to set up, what waits for somebody, and the last 30 days. */
import {
  COUNTED_AT_MOST,
  COUNTED_WAITING,
  type Count,
  type Home,
  loadHome,
  type Made,
  noteRenewedCode,
} from "../../database/accounts/home.ts";
import type { MailStop } from "../../database/mails/recipients.ts";
import { tellsPeople } from "../../model/mail-settings.ts";
import { toTimestamp } from "../../model/text.ts";
import { invitationsOf, openOwn } from "../account-databases.ts";
import { ForMembers, LinkFor } from "../frame/for-members.tsx";
import { useMay } from "../frame/frame.ts";
import { Invitations } from "../frame/invitations.tsx";
import { Layout, pathOf } from "../frame/layout.tsx";
import { action, page } from "../frame/page.tsx";
import { Time, ZonedTime } from "../frame/times.tsx";
import { counted, number } from "../frame/words.ts";

const pageAt = (path: string) =>
  page({
    path,

    load: async (c) => {
      const now = Date.now();
      const { session, accountId } = await openOwn(c);
      // A failing directory must not hide the account.
      const invitations = invitationsOf(c, c.var.owner.person, { limit: 20, after: undefined }).catch(() => undefined);
      const home = await loadHome(session, { accountId, person: c.var.owner.person, now });
      const mailStop = tellsPeople(c.env) ? home.mailStop : undefined;
      return { home: { ...home, mailStop }, invitations: (await invitations)?.items ?? [] };
    },

    view: ({ home, invitations }) => {
      const steps = stepsOf(home);
      const hasBoards = home.boards.length > 0;
      const isSetUp = steps.every(({ isDone }) => isDone);
      return (
        <Layout title="Home" current="home">
          <Invitations invitations={invitations} />
          {hasBoards && <Boards boards={home.boards} />}
          {/* Where ideas are, what waits for an answer comes first. */}
          {home.hasIdeas && <Attention home={home} />}
          {!isSetUp && (
            <ForMembers>
              <Checklist steps={steps} />
            </ForMembers>
          )}
          {hasBoards && !home.hasIdeas && <Attention home={home} />}
          {home.openSurveys.length > 0 && <OpenSurveys surveys={home.openSurveys} />}
          {hasBoards && <Month month={home.month} />}
        </Layout>
      );
    },
  });

export const HOME_PAGE = pageAt("/account");
export const HOME_PAGE_WITH_SLASH = pageAt("/account/");

const RENEWED = "/account/code-renewed";

/** A member says that no page is dark any more. */
export const CODE_RENEWED = action(RENEWED, async (c) => {
  const { session, accountId } = await openOwn(c);
  const { person, actor } = c.var.owner;
  await noteRenewedCode(session, { accountId, person, actor, now: Date.now() });
  return c.redirect("/account", 303);
});

type Step = {
  readonly title: string;
  readonly hint: string;
  readonly isDone: boolean;
  readonly label: string;
  readonly href: string;
  /** Another way to do the same. */
  readonly or?: { readonly label: string; readonly href: string };
};

function stepsOf({ boards: [first], wasOpened, isPlaced, hasPage, hasIdeas, hasColleagues }: Home): readonly Step[] {
  const board = first ? `/account/idea-banks/${first.id}` : "/account/idea-banks";
  return [
    {
      title: "Create a board",
      hint: "A board collects ideas and votes, and shows what you ship.",
      isDone: first !== undefined,
      label: "Create board",
      href: "/account/idea-banks#create",
    },
    {
      title: "Open it",
      hint: "A draft is visible to your team only.",
      isDone: wasOpened,
      label: "Open board",
      href: first ? `${board}/settings` : board,
    },
    {
      title: "Share its page, or put it on your site",
      hint: "A public page takes a minute. For your site, copy a few lines of HTML.",
      isDone: isPlaced || hasPage,
      label: "Use a public page",
      href: first ? `${board}/public-page` : board,
      ...(first && { or: { label: "Get the code", href: `${board}/embed` } }),
    },
    {
      title: "Get the first idea",
      hint: "Share the page with a few customers.",
      isDone: hasIdeas,
      label: "See ideas",
      href: "/account/ideas",
    },
    {
      title: "Invite a colleague",
      hint: "As an admin, a member or a viewer.",
      isDone: hasColleagues,
      label: "Invite",
      href: "/account/members",
    },
  ];
}

const Checklist = ({ steps }: { readonly steps: readonly Step[] }) => {
  const next = steps.find(({ isDone }) => !isDone);
  return (
    <section aria-labelledby="set-up">
      <h2 id="set-up">Get started</h2>
      <p class="lead">{`${steps.filter(({ isDone }) => isDone).length} of ${steps.length} done`}</p>
      <ol class="steps">
        {steps.map((step) => (
          <li class={step.isDone ? "done" : undefined}>
            <span class="tick" aria-hidden="true">
              {step.isDone ? "✓" : ""}
            </span>
            <div>
              <h3>
                {step.isDone ? <a href={step.href}>{step.title}</a> : step.title}
                {step.isDone && <span class="unseen"> (done)</span>}
              </h3>
              {!step.isDone && <p class="hint">{step.hint}</p>}
            </div>
            {!step.isDone && (
              <p class="buttons">
                <a class={step === next ? "button primary" : "button"} href={step.href}>
                  {step.label}
                </a>
                {step.or && (
                  <a class="button" href={step.or.href}>
                    {step.or.label}
                  </a>
                )}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
};

/** The way to the boards. */
const Boards = ({ boards }: Pick<Home, "boards">) => (
  <p class="lead">
    <a href="/account/idea-banks">Boards</a>
    {": "}
    {boards.map(({ id, name }) => (
      <>
        {boards.length > 1 && <br />}
        <a href={`/account/idea-banks/${id}`}>
          <bdi>{name}</bdi>
        </a>
        <ForMembers>
          {" · "}
          <a href={`/account/idea-banks/${id}/public-page`} aria-label={`Public page of “${name}”`}>
            Public page
          </a>
          {" · "}
          <a href={`/account/idea-banks/${id}/embed`} aria-label={`Embed “${name}”`}>
            Embed
          </a>
          {" · "}
          <a href={`/account/idea-banks/${id}/settings`} aria-label={`Settings of “${name}”`}>
            Settings
          </a>
        </ForMembers>
      </>
    ))}
  </p>
);

/** What waits: how many, in words, and the list of it. */
function waitingIn({
  assigned,
  waiting,
  unanswered,
  unseenComments,
}: Home): readonly (readonly [words: string, href: string])[] {
  const of = (count: number): Count => ({ count, isMore: count >= COUNTED_WAITING });
  const items: readonly (readonly [Count, noun: string, rest: string, href: string])[] = [
    [assigned, "idea", "assigned to you", `${pathOf("ideas")}?assignee=me&status=open`],
    [of(waiting.ideas), "idea", "waiting for approval", pathOf("approval")],
    [of(waiting.comments), "comment", "waiting for approval", `${pathOf("comments")}?show=waiting`],
    [unseenComments, "new comment", "since your last visit", pathOf("comments")],
    [unanswered, "open idea", "without a response", `${pathOf("ideas")}?status=unanswered&sort=top`],
  ];
  return items
    .filter(([{ count, isMore }]) => count > 0 || isMore)
    .map(([{ count, isMore }, noun, rest, href]) => [
      `${isMore ? `${number(count)}+ ${noun}s` : `${number(count)} ${noun}${count === 1 ? "" : "s"}`} ${rest}`,
      href,
    ]);
}

const Attention = ({ home }: { readonly home: Home }) => {
  const {
    mailStop,
    leakedKeys,
    failingWebhooks,
    endingKeys,
    endingTokens,
    failedMails,
    darkBoards,
    openSurveys,
    named,
  } = home;
  const isAdmin = useMay("admin");
  const waiting = waitingIn(home);
  const answered = openSurveys.filter(({ recent }) => recent > 0);
  const isQuiet =
    mailStop === undefined &&
    [waiting, named, answered, failedMails, darkBoards, leakedKeys, failingWebhooks, endingKeys, endingTokens].every(
      ({ length }) => length === 0,
    );
  return (
    <section aria-labelledby="attention">
      <h2 id="attention">Needs attention</h2>
      {isQuiet && <p class="hint">You’re all caught up.</p>}
      <ul class="todo">
        {mailStop && <StoppedMails stop={mailStop} />}
        {darkBoards.map(({ id, name }, index) => (
          <li class="bad">
            <LinkFor needs="member" href={`/account/idea-banks/${id}/embed`}>
              Pages with “<bdi>{name}</bdi>” show nothing
            </LinkFor>
            <span class="hint">All tokens were ended. Copy the new code to each page.</span>
            {index === darkBoards.length - 1 && (
              <ForMembers>
                <form method="post" action={RENEWED}>
                  <button type="submit">My pages have the new code</button>
                </form>
              </ForMembers>
            )}
          </li>
        ))}
        {leakedKeys.map(({ id, name }) => (
          <li class="bad">
            <LinkFor needs="admin" href={`/account/api-keys/${id}`}>
              API key “<bdi>{name}</bdi>” was found in public
            </LinkFor>
            <span class="hint">{`It still works. ${isAdmin ? "Rotate" : "An admin can rotate"} or revoke it.`}</span>
          </li>
        ))}
        {failingWebhooks.map(({ id, url, hasStopped }) => (
          <li class="bad">
            <LinkFor needs="admin" href={`/account/webhooks/${id}`}>
              {`Deliveries to ${URL.canParse(url) ? new URL(url).host : url} ${hasStopped ? "have stopped" : "are failing"}`}
            </LinkFor>
            <span class="hint">{isAdmin ? "See what went wrong." : "An admin can see what went wrong."}</span>
          </li>
        ))}
        {failedMails.map(({ ideaBankId, proposalId, title, unknown, refused }) => (
          <li class="bad">
            <a href={`/account/idea-banks/${ideaBankId}/ideas/${proposalId}`}>
              {`${counted(unknown + refused, "email")} about “`}
              <bdi>{title}</bdi>” failed
            </a>
            <span class="hint">
              {[refused > 0 && `${number(refused)} refused`, unknown > 0 && `${number(unknown)} may have arrived`]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </li>
        ))}
        {named.map(({ path, about, author, at }) => (
          <li>
            <a href={`/account/${path}#notes`}>
              A note on “<bdi>{about}</bdi>” names you
            </a>
            <span class="hint">
              <bdi>{author ?? "Former member"}</bdi>
              {" · "}
              <Time at={at} />
            </span>
          </li>
        ))}
        {waiting.map(([words, href]) => (
          <li>
            <a href={href}>{words}</a>
          </li>
        ))}
        {answered.map(({ id, title, recent }) => (
          <li>
            <a href={`/account/surveys/${id}`}>
              {`${recent >= COUNTED_WAITING ? `${number(recent)}+ responses` : counted(recent, "response")} to “`}
              <bdi>{title}</bdi>”
            </a>
            <span class="hint">In the last 7 days</span>
          </li>
        ))}
        {endingKeys.map(({ id, name, expiresAt }) => (
          <li>
            <LinkFor needs="admin" href={`/account/api-keys/${id}`}>
              API key “<bdi>{name}</bdi>” expires <Time at={expiresAt} />
            </LinkFor>
          </li>
        ))}
        {endingTokens.map(({ id, name, expiresAt }) => (
          <li>
            <LinkFor needs="member" href={`/account/idea-banks/${id}/embed`}>
              The visitor token of “<bdi>{name}</bdi>” expires <Time at={expiresAt} />
            </LinkFor>
            <span class="hint">Renew it, and copy the new code to your site.</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The reason, and what to do. The codes are those of Cloudflare's binding. */
function stopInWords(reason: string): readonly [reason: string, toDo: string] {
  if (reason === "E_DAILY_LIMIT_EXCEEDED")
    return [
      "the mail service’s limit for today is reached",
      "They go on when the day is over. The operator of this deployment can ask Cloudflare for a higher limit.",
    ];
  if (reason.startsWith("E_SENDER"))
    return [
      "the sender’s address is not verified at the mail service",
      "The operator of this deployment sets up the domain of NOTICES_FROM for sending.",
    ];
  if (reason === "no answer") return ["the mail service doesn’t answer", "It is tried again every few minutes."];
  const code = /^E_\w+$/.test(reason) ? ` (${reason})` : "";
  return [`the mail service refuses them${code}`, "It is tried again every hour. The operator’s log says more."];
}

const StoppedMails = ({ stop: { reason, since } }: { readonly stop: MailStop }) => {
  const [why, toDo] = stopInWords(reason);
  return (
    <li class="bad">
      <span>
        {`Emails to people stand still: ${why}, since `}
        <ZonedTime at={toTimestamp(since)} look="medium" />
      </span>
      <span class="hint">{toDo}</span>
    </li>
  );
};

const OpenSurveys = ({ surveys }: { readonly surveys: Home["openSurveys"] }) => (
  <section aria-labelledby="surveys">
    <h2 id="surveys">Open surveys</h2>
    <ul class="todo">
      {surveys.map(({ id, title, board, responses, closesAt }) => (
        <li>
          <a href={`/account/surveys/${id}`}>
            <bdi>{title}</bdi>
          </a>
          <span class="hint">
            <bdi>{board}</bdi>
            {` · ${counted(responses, "response")}`}
            {closesAt !== null && " · closes "}
            {closesAt !== null && <ZonedTime at={closesAt} look="medium" />}
          </span>
        </li>
      ))}
    </ul>
  </section>
);

const Month = ({ month: { ideas, votes, comments, people } }: { readonly month: Home["month"] }) => (
  <section aria-labelledby="month">
    <h2 id="month">Last 30 days</h2>
    <dl class="numbers">
      <Tile name="New ideas" made={ideas} href={pathOf("ideas")} />
      <Tile
        name="Votes"
        made={votes}
        href={`${pathOf("ideas")}?sort=top-30`}
        of="on new ideas"
        most={Number.POSITIVE_INFINITY}
      />
      <Tile name="Comments" made={comments} href={pathOf("comments")} />
      <Tile name="New people" made={people} href={pathOf("people")} />
    </dl>
  </section>
);

const inWords = (count: number, most: number): string =>
  count >= most ? `${most.toLocaleString("en")}+` : count.toLocaleString("en");

type TileProps = {
  readonly name: string;
  readonly made: Made;
  /** The list of what is counted. */
  readonly href: string;
  /** Of what it is a part. */
  readonly of?: string;
  readonly most?: number;
};

const Tile = ({ name, made: { recent, before }, href, of, most = COUNTED_AT_MOST }: TileProps) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <a href={href} aria-label={`${name}: ${inWords(recent, most)}`}>
        <strong>{inWords(recent, most)}</strong>
      </a>
      <span class="hint">{`${of ? `${of} · ` : ""}${inWords(before, most)} in the 30 days before`}</span>
    </dd>
  </div>
);
