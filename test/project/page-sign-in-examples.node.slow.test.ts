/** The sign-ins for a public page of docs/clients.md, run as they stand there. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { verifySignedToken } from "../../src/worker/model/signed-token.ts";
import { block } from "../support/node/documents.ts";

const known: { deploymentSecret: string; ideaBankId: string; kid: string; secret: string } = JSON.parse(
  readFileSync("docs/examples/signed-tokens.json", "utf8"),
);
const keys = await importSigningKeys([known.deploymentSecret]);
const PAGE = `https://ideas.example.com/b/${known.ideaBankId}`;
const BACK = `${PAGE}/signed-in`;
const STATE = "0123456789abcdefABCDEF";

type Case = { readonly query: Readonly<Record<string, string>>; readonly session: Readonly<Record<string, unknown>> };
type Answer = { readonly status: number; readonly location: string | null; readonly session: Record<string, unknown> };

/** Each reads the cases from a file, and prints the answers. `state` is what its session calls the state. */
const LANGUAGES = {
  typescript: {
    program: process.execPath,
    file: "sign-in.mts",
    code: () => `${block("docs/clients.md", "sign-node")}\n${block("docs/clients.md", "page-typescript")}
import { readFileSync } from "node:fs";
const cases: { query: Record<string, string>; session: Session }[] = JSON.parse(readFileSync("cases.json", "utf8"));
console.log(JSON.stringify(cases.map(({ query, session }) => {
  const [status, location = null] = boardSignIn(new URLSearchParams(query), session);
  return { status, location, session };
})));`,
    state: "boardState",
  },
  python: {
    program: "python3",
    file: "sign_in.py",
    code: () => `${block("docs/clients.md", "sign-python")}\n${block("docs/clients.md", "page-python")}
answers = []
for each in json.load(open("cases.json")):
    status, location = board_sign_in(each["query"], each["session"])
    answers.append({"status": status, "location": location, "session": each["session"]})
print(json.dumps(answers))`,
    state: "board_state",
  },
  php: {
    program: "php",
    file: "sign-in.php",
    code: () => `${block("docs/clients.md", "sign-php")}\n${block("docs/clients.md", "page-php")}
$answers = [];
foreach (json_decode(file_get_contents("cases.json"), true) as ["query" => $query, "session" => $session]) {
    [$status, $location] = board_sign_in($query, $session);
    $answers[] = ["status" => $status, "location" => $location, "session" => (object) $session];
}
echo json_encode($answers, JSON_UNESCAPED_SLASHES);`,
    state: "board_state",
  },
} as const;

const FOREIGN = [
  ...[
    "https://evil.example/b/x/signed-in",
    `https://evil.example/${BACK}`,
    `${BACK}.evil.example`,
    `${BACK}/`,
    `${BACK}?x=1`,
  ],
  ...[`${BACK}#x`, `${BACK}\n`, ` ${BACK}`, BACK.replace("https", "http"), BACK.replace("ideas.", "IDEAS.")],
  ...[`https://ideas.example.com@evil.example/b/${known.ideaBankId}/signed-in`, "//evil.example/", "/b/x", "", PAGE],
  ...[BACK.replace(known.ideaBankId, "0therBank0000"), `${PAGE}/x/../signed-in`, "javascript:alert(1)"],
];
const USER = { id: "customer-42", name: "Zoë" };

describe.each(Object.entries(LANGUAGES))(
  "the sign-in of docs/clients.md in %s",
  (_, { program, file, code, state }) => {
    const run = (cases: readonly Case[]): Answer[] => {
      const folder = mkdtempSync(join(tmpdir(), "page-"));
      writeFileSync(join(folder, file), code());
      writeFileSync(join(folder, "cases.json"), JSON.stringify(cases));
      const settings = {
        BOARD_PAGE: PAGE,
        BOARD: known.ideaBankId,
        SIGNING_KID: known.kid,
        SIGNING_SECRET: known.secret,
      };
      const env = { ...process.env, ...settings, LC_ALL: "C.UTF-8", HOME: folder };
      return JSON.parse(execFileSync(program, [file], { cwd: folder, encoding: "utf8", env }));
    };

    it("leads back with a token of the person and the state, once", async () => {
      const [known_, unknown, waited, without] = run([
        { query: { return: BACK, state: STATE }, session: { user: USER } },
        { query: { return: BACK, state: STATE }, session: {} },
        { query: {}, session: { user: USER, [state]: STATE } },
        { query: {}, session: { user: USER } },
      ]);
      expect(unknown).toMatchObject({
        status: 302,
        location: "/login?next=/board-sign-in",
        session: { [state]: STATE },
      });
      expect([without?.status, without?.location]).toEqual([302, PAGE]);
      for (const answer of [known_, waited]) {
        expect(answer?.status).toBe(302);
        expect(answer?.session[state]).toBeUndefined();
        const [back, fragment] = (answer?.location ?? "").split("#");
        expect(back).toBe(BACK);
        const arrived = new URLSearchParams(fragment);
        expect(arrived.get("state")).toBe(STATE);
        expect(await verifySignedToken(arrived.get("token") ?? "", keys)).toMatchObject({
          ok: true,
          value: { ideaBankId: known.ideaBankId, signed: { externalId: USER.id, name: USER.name } },
        });
      }
    });

    it("sends no token to any other address, and keeps no state of it", () => {
      const answers = run(FOREIGN.map((to) => ({ query: { return: to, state: STATE }, session: { user: USER } })));
      for (const [index, to] of FOREIGN.entries())
        expect([to, answers[index]?.status, answers[index]?.location, answers[index]?.session[state]]).toEqual([
          to,
          400,
          null,
          undefined,
        ]);
    });

    it("takes no state that a board has not made", () => {
      const states = ["", "x", `${STATE}x`, `${STATE}\n`, `${STATE.slice(1)}&`, STATE.replace("0", "é")];
      for (const answer of run(
        states.map((each) => ({ query: { return: BACK, state: each }, session: { user: USER } })),
      ))
        expect(answer).toMatchObject({ status: 400, location: null });
    });
  },
);
