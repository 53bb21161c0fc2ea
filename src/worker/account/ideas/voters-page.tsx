/** `…/ideas/{id}/voters`: who votes for an idea. */
import type { Proposal } from "../../model/proposal.ts";
import type { Voter } from "../../model/voter.ts";
import { type Frame, Layout } from "../frame/layout.tsx";
import { Time } from "../frame/times.tsx";
import { NAMELESS } from "./comments.tsx";

type Props = {
  readonly frame: Frame;
  readonly path: string;
  readonly idea: Proposal;
  readonly voters: readonly Voter[];
  readonly more: string | undefined;
  readonly now: number;
};

export const VotersPage = ({ frame, path, idea, voters, more, now }: Props) => (
  <Layout title={idea.title} part="Voters" current="ideas" {...frame}>
    <p>
      <a href={path}>Back to the idea</a>
    </p>
    {voters.length === 0 && <p class="notice">No votes yet.</p>}
    {voters.length > 0 && (
      <div class="scrolls">
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">ID in your system</th>
              <th scope="col">Voted</th>
            </tr>
          </thead>
          <tbody>
            {voters.map(({ panelistId, displayName, externalId, at }) => (
              <tr>
                <th scope="row">
                  <a href={`/account/people/${panelistId}`}>
                    <bdi>{displayName ?? externalId ?? NAMELESS}</bdi>
                  </a>
                </th>
                <td>{externalId !== null && <code>{externalId}</code>}</td>
                <td>
                  <Time at={at} now={now} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    {more && (
      <p>
        <a href={`${path}/voters?cursor=${more}`}>More</a>
      </p>
    )}
  </Layout>
);
