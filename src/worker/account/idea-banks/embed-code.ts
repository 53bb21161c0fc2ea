/** The code that puts an idea bank into a website, for copying. */
import { type EmbedChoice, styleOf } from "./embed-choice.ts";

/** The elements of the choice, with these attributes. */
export function linesWith(origin: string, token: string, choice: EmbedChoice): string {
  const { elements, lang, theme, signIn } = choice;
  const style = styleOf(choice);
  const attributes = [
    token,
    ...(signIn ? [`sign-in-url="${signIn}"`] : []),
    ...(lang ? [`lang="${lang}"`] : []),
    ...(theme ? [`theme="${theme}"`] : []),
    ...(style ? [`style="${style}"`] : []),
  ].join(" ");
  const scripts = new Set(elements.flatMap((name) => (name === "launcher" ? ["launcher", "changelog"] : [name])));
  return [
    ...[...scripts].map((name) => `<script type="module" src="${origin}/embed/${name}.js"></script>`),
    ...elements.map((name) =>
      name === "launcher"
        ? `<idea-bank-launcher><idea-bank-changelog ${attributes}></idea-bank-changelog></idea-bank-launcher>`
        : `<idea-bank-${name} ${attributes}${name === "board" || name === "roadmap" ? " history" : ""}></idea-bank-${name}>`,
    ),
  ].join("\n");
}

export const linesOf = (origin: string, token: string, choice: EmbedChoice): string =>
  linesWith(origin, `token="${token}"`, choice);

export const onServer = (
  origin: string,
  id: string,
): string => `app.get("/idea-bank-token", async (request, response) => {
  const { id, name } = request.user;
  const answer = await fetch("${origin}/tenant/ideabanks/${id}/tokens", {
    method: "POST",
    headers: { "X-API-Key": process.env.IDEA_BANK_API_KEY, "Content-Type": "application/json" },
    body: JSON.stringify({ externalId: id, displayName: name }),
  });
  const { token } = await answer.json();
  response.type("text/plain").send(token);
});`;

/** With an import in single quotes, which is none of this file's. */
export const signing = (id: string): string => `import { createHmac } from 'node:crypto';

const signToken = ({ kid, secret }, { id, name }) => {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { iss: "${id}", sub: id, ...(name && { name }), iat: now, exp: now + 3600 };
  const signed = \`\${encode({ alg: "HS256", kid })}.\${encode(claims)}\`;
  return \`\${signed}.\${createHmac("sha256", secret).update(signed).digest("base64url")}\`;
};`;
