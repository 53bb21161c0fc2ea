/** A board whose people have addresses, the e-mails that they get, and a job whose clock a test moves. */
import { env } from "cloudflare:workers";
import { databaseOf } from "./databases.ts";
import { createIsolate } from "./isolate.ts";
import { runJob } from "./job.ts";
import { collectMails, type Mail, withMail } from "./page-visitor.ts";
import { createPanel } from "./panel.ts";

export const MINUTE = 60_000;
/** The ten minutes in which decisions are one e-mail, and the one for undoing. */
export const WINDOW = 11 * MINUTE;

/** In a hundred years. */
const FAR = Date.now() + 100 * 365 * 24 * 60 * MINUTE;

export const telling: Env & { NOTICES: SendEmail } = { ...withMail, SIGN_IN_URL: "https://api.example/account" };

/** Null takes the address away. */
export const giveAddress = (panelistId: string, email: string | null = `${panelistId}@example.com`) =>
  databaseOf(panelistId).prepare("UPDATE panelists SET email = ?2 WHERE id = ?1").bind(panelistId, email).run();

export const refusal = (code: string): Error => Object.assign(new Error(`refused: ${code}`), { code });

export async function createTold(
  answer?: (mail: Mail) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
) {
  const bindings = { ...telling, ...settings };
  const mails = collectMails(answer);
  const panel = await createPanel({}, createIsolate(bindings));
  const database = databaseOf(panel.bank.accountId);
  const rows = async (sql: string, ...values: unknown[]) =>
    (
      await database
        .prepare(sql)
        .bind(...values)
        .all<Record<string, unknown>>()
    ).results;
  // A test's clock passes eight in the morning at some time of the day: no account's members have their day's e-mail then.
  await rows("UPDATE told_members SET next_digest_at = ?1", FAR);
  let later = 0;
  return {
    panel,
    mails,
    rows,
    /** A panelist with this address. */
    person: async (email: string, { name = null as string | null, language = null as string | null } = {}) => {
      const panelist = await panel.panelist(name);
      await rows(
        "UPDATE panelists SET email = ?1, mailbox = ?1, language = ?2 WHERE id = ?3",
        email,
        language,
        panelist.id,
      );
      return panelist;
    },
    /** As the tenant. */
    decide: (proposalId: string, changes: object) => panel.manage("PATCH", `/proposals/${proposalId}`, changes),
    /** Runs the job this much later than the last one. */
    pass: async (ms: number) => {
      later += ms;
      await runJob(bindings, () => Date.now() + later);
    },
    /** Whom the e-mails were sent to, in order of the alphabet. */
    to: () => mails.map(({ to }) => to).sort(),
    states: () => rows("SELECT email, state FROM recipients ORDER BY email, outbox_id"),
    env,
  };
}
