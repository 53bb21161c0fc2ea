/** The words of an e-mail to a member: what happened, what to do, one link to it, and why the reader gets it. */
import type { Notice } from "../database/changes/notices.ts";
import type { AuditEvent } from "../model/audit-event.ts";
import type { Brand } from "../model/brand.ts";
import { deskAddressOf } from "../model/desk-address.ts";
import { type Role, toRole } from "../model/role.ts";

type Words = {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  /** `page` is a path of Account Settings. */
  readonly link: { readonly label: string; readonly page: string };
};

type Deployment = { readonly brand: Brand; readonly signInUrl: string };

/** The subject, and the e-mail as plain text and as HTML. */
export function renderNotice(notice: Notice, { brand, signInUrl }: Deployment) {
  const { subject, paragraphs, link } = inWords(notice);
  const href = deskAddressOf(link.page, signInUrl);
  const why = isInvitation(notice.event)
    ? `You’re getting this because someone invited this address to ${brand.name}. If you don’t know who it was, ignore it.`
    : `You’re getting this because you’re a member of the account ${notice.account} on ${brand.name}.`;
  return {
    subject,
    text: [...paragraphs, `${link.label}: ${href}`, `--\n${why}`].join("\n\n").concat("\n"),
    html: toPage(brand, { paragraphs, link: { label: link.label, href }, why }),
  };
}

/** Names are any text. */
const toHtml = (text: string): string => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

type Content = Pick<Words, "paragraphs"> & {
  readonly link?: { readonly label: string; readonly href: string };
  readonly why: string;
};

/** E-mail programs apply no style sheet reliably, so each element has its own style. */
export function toPage({ name, color }: Brand, { paragraphs, link, why }: Content): string {
  const text = "font:16px/1.5 system-ui,-apple-system,sans-serif;color:#171a21;margin:0 0 16px";
  const button = `display:inline-block;padding:10px 18px;border-radius:6px;background:${color ?? "#2450c8"};color:#ffffff;text-decoration:none;font-weight:600`;
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light"></head>`,
    `<body style="margin:0;padding:24px;background:#ffffff"><div style="max-width:560px;margin:0 auto">`,
    `<p style="${text};font-weight:650">${toHtml(name)}</p>`,
    ...paragraphs.map((paragraph) => `<p style="${text}">${toHtml(paragraph)}</p>`),
    ...(link
      ? [`<p style="${text}"><a href="${toHtml(link.href)}" style="${button}">${toHtml(link.label)}</a></p>`]
      : []),
    `<p style="${text};font-size:13px;color:#555c6b">${toHtml(why)}</p></div></body></html>`,
  ].join("");
}

/** "November 27, 2026 at 10:02 UTC" */
const timeInWords = (timestamp: string): string => {
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).format(new Date(timestamp));
  return `${day} at ${timestamp.slice(11, 16)} UTC`;
};

const isInvitation = ({ event, changes }: AuditEvent): boolean =>
  event === "changed" && Boolean(changes?.after.invited) && !changes?.after.member;

/** Anybody can report a leak with any text as its place, so our e-mails only include places at GitHub. */
const foundAt = ({ changes }: AuditEvent): string => {
  const place = String(changes?.after.foundAt ?? "");
  return /^https:\/\/(gist\.)?github\.com\/[\x21-\x7e]+$/.test(place)
    ? `It was found here: ${place}`
    : "Your activity shows where it was found.";
};

type LeakedSecret = NonNullable<NonNullable<AuditEvent["changes"]>["after"]["secret"]>;

/** The secret that was found; what we did about it; and what to do where the account only marks leaks. */
const LEAKED: Record<LeakedSecret, readonly [found: string, ended: string, marked: string]> = {
  token: [
    "A person’s token",
    "We revoked all of this person’s tokens. Your server gets new ones.",
    "It still works. Revoke this person’s tokens.",
  ],
  "signed-token": [
    "A token signed by your server",
    "We revoked all of this person’s tokens. Your server signs new ones.",
    "It still works. Revoke this person’s tokens.",
  ],
  "visitor-token": [
    "A visitor token",
    "We revoked all of this board’s visitor tokens. Put a new one on your pages.",
    "It still works: it belongs on your pages, where anybody can copy it. If it was found elsewhere, end this board’s visitor tokens, and put a new one on your pages.",
  ],
  "webhook-secret": [
    "A webhook secret",
    "We now sign deliveries with a new secret. Rotate it again to see the next one, and use that in your endpoint. Don’t trust anything signed with the old secret.",
    "It still signs deliveries. Rotate it, and put the new one into your endpoint.",
  ],
  "signing-secret": [
    "A signing secret",
    "We replaced it: tokens signed with it are refused. Have your server read the new one.",
    "It still works. Rotate it, and have your server read the new one.",
  ],
};

function leakInWords(event: AuditEvent, inAccount: string): Words {
  const { secret, ended } = event.changes?.after ?? {};
  if (secret) {
    const [found, done, toDo] = LEAKED[secret];
    return {
      subject: `${found} was found in public`,
      paragraphs: [`${found} was found in public.`, ended ? done : toDo, foundAt(event)],
      link: { label: "Review what happened", page: `/account/activity${inAccount}` },
    };
  }
  const at = event.createdAt.slice(11, 16);
  return {
    subject: `API key “${event.apiKeyName}” was found in public`,
    paragraphs: [
      ended
        ? `Your API key “${event.apiKeyName}” was found in public. We revoked ${ended === "key" ? "it" : `its ${ended}`} at ${at} UTC.`
        : `Your API key “${event.apiKeyName}” was found in public. It still works: rotate or revoke it now.`,
      foundAt(event),
      "Tokens that the key issued still work, and so do tokens signed with a secret that it read. To stop those too, end all tokens: everyone then has to sign in again.",
    ],
    link: { label: "End all tokens", page: `/account/tokens/end${inAccount}` },
  };
}

/** What somebody who is invited will be able to do. */
const INVITED_AS: Readonly<Record<Role, string>> = {
  admin: "As an admin you can do everything in it.",
  member: "As a member you can work on ideas, comments, people, surveys and boards.",
  viewer: "As a viewer you can read everything about ideas, people and surveys.",
};

function membershipInWords({ event: { changes, actor }, by, account }: Notice, inAccount: string): Words {
  const { before, after } = changes ?? {};
  if (after?.invited && !after.member)
    return {
      subject: `${by} invited you to ${account === actor ? "their account" : account}`,
      paragraphs: [`${by} invited you to the account ${account}. ${INVITED_AS[toRole(after.role ?? "admin")]}`],
      link: { label: "View invitation", page: "/account/accounts" },
    };
  const link = { label: "Review members", page: `/account/members${inAccount}` };
  if (before?.member)
    return {
      subject: `${before.member} is now ${after?.member}`,
      paragraphs: [
        `The operator of this service moved a membership of your account from ${before.member} to ${after?.member}, because the person’s address changed.`,
        "If you didn’t expect this, contact the operator and remove the member.",
      ],
      link,
    };
  return {
    subject: `${after?.member} joined ${account}`,
    paragraphs: [
      `${after?.member} accepted an invitation to your account.`,
      "If you don’t know this person, remove them.",
    ],
    link,
  };
}

function inWords(notice: Notice): Words {
  const { event, accountId } = notice;
  const inAccount = `?account=${accountId}`;
  const { apiKeyName: name, webhook, changes, createdAt } = event;
  if (event.event === "expiring") {
    const expiresAt = changes?.after.expiresAt ?? createdAt;
    const days = Math.ceil((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000);
    return {
      subject: `API key “${name}” expires in ${days === 1 ? "a day" : `${days} days`}`,
      paragraphs: [
        `Your API key “${name}” expires on ${timeInWords(expiresAt)}. Requests with it fail from then on.`,
        "Set a later date, or create a new key and replace it.",
      ],
      link: { label: "Open the key", page: `/account/api-keys/${event.apiKeyId}${inAccount}` },
    };
  }
  if (event.event === "visitor-token-expiring") {
    const expiresAt = changes?.after.expiresAt ?? createdAt;
    const days = Math.ceil((Date.parse(expiresAt) - Date.parse(createdAt)) / 86_400_000);
    const board = event.subject?.name ?? "";
    return {
      subject: `The visitor token of “${board}” expires in ${days} days`,
      paragraphs: [
        `The token that shows “${board}” on your site expires on ${timeInWords(expiresAt)}. Visitors can’t see the board from then on.`,
        "Renew it, then copy the new code to your site. The old token keeps working until it expires.",
      ],
      link: { label: "Renew the token", page: `/account/idea-banks/${event.subject?.id}/embed${inAccount}` },
    };
  }
  if (event.event === "leaked") return leakInWords(event, inAccount);
  const receiver = webhook && URL.canParse(webhook.url) ? new URL(webhook.url).host : webhook?.url;
  const link = { label: "See the last responses", page: `/account/webhooks/${webhook?.id}${inAccount}` };
  if (event.event === "webhook-failing")
    return {
      subject: `Deliveries to ${receiver} are failing`,
      paragraphs: [
        `No delivery to ${webhook?.url} has succeeded for a day. We keep trying for four more days, then stop.`,
        "Nothing is lost yet: changes are kept for 30 days. Fix the endpoint, and deliveries continue where they stopped.",
      ],
      link,
    };
  if (event.event === "webhook-failed")
    return {
      subject: `Deliveries to ${receiver} have stopped`,
      paragraphs: [
        `We stopped sending to ${webhook?.url} because it kept refusing deliveries.`,
        "Changes are kept for 30 days. Fix the endpoint, then resume the webhook.",
      ],
      link,
    };
  return membershipInWords(notice, inAccount);
}
