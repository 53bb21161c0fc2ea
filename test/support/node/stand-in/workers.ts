/** The stand-in's Workers: secrets, versions, deployments. A version keeps the secrets of its time. */
import { existsSync, writeFileSync } from "node:fs";
import type { Deployment } from "./account-state.ts";
import { Refusal } from "./refusal.ts";
import type { Request } from "./wrangler.ts";

export function putSecret({ state, worker, call }: Request, name: string): string {
  // Where there is no Worker it makes an empty one, and deploys it.
  const empty: Deployment = { version: "empty-1", vars: undefined, secrets: {} };
  const { secrets, deployments } = state.workers[worker] ?? { secrets: {}, deployments: [empty] };
  const changed = { ...secrets, [name]: call.input.trim() };
  const last = deployments.at(-1);
  state.workers[worker] = { secrets: changed, deployments };
  // A secret makes a version of a Worker that is deployed, and deploys it.
  if (last !== undefined) {
    const version = last.vars === undefined ? `empty-${deployments.length + 1}` : nextVersion(deployments);
    const { message: _, ...same } = last;
    deployments.push({ ...same, version, secrets: { ...changed } });
  }
  return `🌀 Creating the secret for the Worker "${worker}"\n✨ Success! Uploaded secret ${name}`;
}

const nextVersion = (deployments: readonly { version: string }[]) =>
  `version-${deployments.filter(({ version }) => version.startsWith("version")).length + 1}`;

export function deployWorker({ state, worker, sections, call }: Request): string {
  const { targets } = state;
  const required = [...(sections.get("secrets")?.[0]?.required ?? "").matchAll(/\w+/g)].map(([name]) => name);
  const existing = state.workers[worker] ?? { secrets: {}, deployments: [] };
  const missing = required.filter((name) => existing.secrets[name] === undefined);
  if (missing.length > 0) throw new Refusal(`The following required secrets have not been set: ${missing}`);
  state.workers[worker] = existing;
  const version = nextVersion(existing.deployments);
  existing.deployments.push({
    version,
    vars: sections.get("vars")?.[0],
    secrets: { ...existing.secrets },
  });
  const output = call.variables.WRANGLER_OUTPUT_FILE_PATH;
  if (output !== undefined && !existsSync(output)) {
    const lines = [
      { type: "wrangler-session", version: 1, wrangler_version: "4.156.2" },
      { type: "deploy", version: 1, worker_name: worker, version_id: version, targets },
    ];
    writeFileSync(output, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
  }
  return `Uploaded ${worker}\nDeployed ${worker} triggers\n  ${targets.join("\n  ")}\nCurrent Version ID: ${version}`;
}

/** Oldest first, as wrangler sorts them. */
export function listDeployments({ state, worker }: Request): string {
  if (state.workers[worker] === undefined)
    throw new Refusal("A request failed.\n\nThis Worker does not exist on your account. [code: 10007]");
  const deployments = (state.workers[worker]?.deployments ?? []).map(({ version, message }, index) => ({
    id: `deployment-${index}`,
    created_on: new Date(Date.UTC(2026, 0, 1, 0, index)).toISOString(),
    ...(message !== undefined && { annotations: { "workers/message": message } }),
    versions: [{ version_id: version, percentage: 100 }],
  }));
  return JSON.stringify(deployments, null, 2);
}

export function viewVersion({ state, worker }: Request, version: string): string {
  const found = state.workers[worker]?.deployments.find((one) => one.version === version);
  if (found === undefined) throw new Refusal(`Version ${version} was not found [code: 10079]`);
  const bindings = [
    ...Object.entries(found.vars ?? {}).map(([name, text]) => ({ type: "plain_text", name, text })),
    ...Object.keys(found.secrets).map((name) => ({ type: "secret_text", name })),
  ];
  return JSON.stringify({ id: version, resources: { bindings } }, null, 2);
}

/** `confirms`: `wrangler rollback`, which says yes to older secrets when nobody can be asked. */
export function deployVersion({ state, worker, values }: Request, version: string, confirms: boolean): string {
  const existing = state.workers[worker];
  const found = existing?.deployments.find((one) => one.version === version);
  if (existing === undefined || found === undefined)
    throw new Refusal(`Version ${version} was not found [code: 10079]`);
  const names = [...new Set([...Object.keys(existing.secrets), ...Object.keys(found.secrets)])];
  const changed = names.filter((name) => existing.secrets[name] !== found.secrets[name]);
  if (changed.length > 0 && !confirms) {
    throw new Refusal(
      `A request to the Cloudflare API failed.\n\nThe following secrets have changed: ${changed.join(", ")} [code: 10220]`,
    );
  }
  existing.secrets = { ...found.secrets };
  existing.deployments.push({ ...found, message: String(values.message) });
  return `SUCCESS  Worker Version ${version} has been deployed to 100% of traffic.`;
}
