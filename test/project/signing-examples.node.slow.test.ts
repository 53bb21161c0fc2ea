/** The signers of docs/clients.md, run as they stand there. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { signing } from "../../src/worker/account/idea-banks/embed-code.ts";
import { importSigningKeys } from "../../src/worker/credentials/envelope.ts";
import { verifySignedToken } from "../../src/worker/model/signed-token.ts";
import { block } from "../support/node/documents.ts";

type Vectors = { deploymentSecret: string; ideaBankId: string; kid: string; secret: string };

/** The secret of the vectors. test/worker/panelist/signed-vectors.test.ts runs the vectors themselves. */
const known: Vectors = JSON.parse(readFileSync("docs/examples/signed-tokens.json", "utf8"));
const keys = await importSigningKeys([known.deploymentSecret]);

/** A program that prints a token. `files`: those that stand beside the signer's own. */
type Signer = {
  readonly program: string;
  readonly name: string;
  readonly complete: (signer: string) => string;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: readonly string[];
};

const { kid, secret, ideaBankId } = known;
/** With what has to be escaped in JSON. */
const SUBJECT = 'customer-42 "Zo\u00eb" \\ 1';
/** The texts as literals: of JavaScript, and of the other languages, too. */
const values = [kid, secret, ideaBankId, SUBJECT].map((value) => JSON.stringify(value)).join(", ");
const NAME = 'Zo\u00eb "Z" \\';
const withName = `${values}, ${JSON.stringify(NAME)}`;
const EMAIL = "zoe@example.com";
const withEmail = `${withName}, ${JSON.stringify(EMAIL)}`;
const after =
  (...calls: readonly string[]) =>
  (signer: string) =>
    `${signer}\n${calls.join("\n")}\n`;
/** A language whose functions take no fewer values than they name: "" is no name. */
const unnamed = `${values}, ""`;

const SIGNERS: Readonly<Record<string, Signer>> = {
  node: {
    program: process.execPath,
    name: "sign.mjs",
    complete: after(
      ...[[SUBJECT], [SUBJECT, NAME, EMAIL]].map(
        (whose) =>
          `console.log(signToken(${JSON.stringify({ kid, secret })}, "${ideaBankId}", ...${JSON.stringify(whose)}));`,
      ),
    ),
  },
  python: {
    program: "python3",
    name: "sign.py",
    complete: after(`print(sign_token(${values}))`, `print(sign_token(${withEmail}))`),
  },
  php: {
    program: "php",
    name: "sign.php",
    complete: after(`echo sign_token(${values}), "\\n", sign_token(${withEmail});`),
  },
  ruby: { program: "ruby", name: "sign.rb", complete: after(`puts sign_token(${values}), sign_token(${withEmail})`) },
  go: {
    program: "go",
    name: "sign.go",
    complete: (signer) => signer,
    files: {
      "main.go": `package main\n\nimport "fmt"\n\nfunc main() { fmt.Println(signToken(${unnamed}) + "\\n" + signToken(${withName})) }\n`,
    },
    options: ["run", "main.go"],
  },
  java: {
    program: "java",
    name: "Sign.java",
    complete: (signer) =>
      signer.replace(
        /\}\s*$/,
        `public static void main(String[] none) throws Exception { System.out.println(token(${unnamed}) + "\\n" + token(${withName})); } }\n`,
      ),
  },
};
/** The continuous integration has no Go and no Java, which take hundreds of MB. */
const OPTIONAL = ["go", "java"];
const isThere = (program: string) => spawnSync(program, ["-version"]).error === undefined;

describe("the signer of docs/clients.md", () => {
  it.for(Object.keys(SIGNERS))("in %s signs a valid token, with and without a name", async (language, { skip }) => {
    const signer = SIGNERS[language];
    if (signer === undefined) throw new Error(`there is no ${language}`);
    const { program, name, complete, files = {}, options = [] } = signer;
    if (OPTIONAL.includes(language) && !isThere(program)) skip(`${program} is not installed`);
    const folder = mkdtempSync(join(tmpdir(), "sign-"));
    writeFileSync(join(folder, name), complete(block("docs/clients.md", `sign-${language}`)));
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const env = { ...process.env, LC_ALL: "C.UTF-8", HOME: folder };
    const tokens = execFileSync(program, [...options, name], { cwd: folder, encoding: "utf8", env })
      .trim()
      .split("\n");
    expect(tokens).toHaveLength(2);
    const [without, named] = await Promise.all(tokens.map((token) => verifySignedToken(token, keys)));
    const value = { ideaBankId, signed: { externalId: SUBJECT, name: null, email: null } };
    expect(without).toMatchObject({ ok: true, value });
    const email = OPTIONAL.includes(language) ? null : EMAIL;
    expect(named).toMatchObject({ ok: true, value: { ...value, signed: { ...value.signed, name: NAME, email } } });
  });

  it("of the page with an idea bank's lines signs one, with and without a name", async () => {
    for (const name of ["Robin", undefined]) {
      const file = join(mkdtempSync(join(tmpdir(), "sign-")), "sign.mjs");
      const call = `signToken(${JSON.stringify({ kid, secret })}, ${JSON.stringify({ id: "a", name })})`;
      writeFileSync(file, `${signing(ideaBankId)}\nconsole.log(${call});\n`);
      const token = execFileSync(process.execPath, [file], { encoding: "utf8" }).trim();
      expect(await verifySignedToken(token, keys)).toMatchObject({
        ok: true,
        value: { ideaBankId, signed: { externalId: "a", name: name ?? null } },
      });
    }
  });
});
