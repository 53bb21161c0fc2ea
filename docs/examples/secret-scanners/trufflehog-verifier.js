/**
 * Says to TruffleHog whether a key is alive: 200 if it is, 403 if it is not, otherwise 500. `GET /tenant/whoami` needs no scope.
 *
 * A key that is paused, bound to other addresses, or of a suspended account is alive: its owner lets it in again. So is one over its
 * limit.
 *
 *     API=https://api.example.com node trufflehog-verifier.js
 */
import { createServer } from "node:http";

const { API, PORT = "8000" } = process.env;

async function isAlive(key) {
  const answer = await fetch(new URL("/tenant/whoami", API), { headers: { "X-API-Key": key } });
  if (answer.status === 200 || answer.status === 429) return true;
  if (answer.status === 401) return false;
  // The reason of a 403 is told to the holder of the right secret alone.
  const { reason } = answer.status === 403 ? await answer.json() : {};
  if (["paused", "address", "suspended"].includes(reason)) return true;
  throw new Error(`whoami answers ${answer.status}`);
}

const server = createServer(async (request, response) => {
  try {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    // TruffleHog sends { "edge-access-api-key": { "key": [the whole match, its first group] } }.
    const [, key] = body["edge-access-api-key"].key;
    response.statusCode = (await isAlive(key)) ? 200 : 403;
  } catch {
    response.statusCode = 500;
  }
  response.end();
});
server.listen(Number(PORT), "localhost", () => console.log(`http://localhost:${server.address().port}/`));
