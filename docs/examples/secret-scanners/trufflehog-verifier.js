/**
 * Says to TruffleHog whether a key works: 200 if `GET /tenant/whoami` admits it, which needs no scope, otherwise 403.
 *
 *     API=https://api.example.com node trufflehog-verifier.js
 */
import { createServer } from "node:http";

const { API, PORT = "8000" } = process.env;

const server = createServer(async (request, response) => {
  try {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    // TruffleHog sends { "edge-access-api-key": { "key": [the whole match, its first group] } }.
    const [, key] = body["edge-access-api-key"].key;
    const { status } = await fetch(new URL("/tenant/whoami", API), { headers: { "X-API-Key": key } });
    response.statusCode = status === 200 ? 200 : 403;
  } catch {
    response.statusCode = 500;
  }
  response.end();
});
server.listen(Number(PORT), "localhost", () => console.log(`http://localhost:${server.address().port}/`));
