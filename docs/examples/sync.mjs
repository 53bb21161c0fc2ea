import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";

const API = "http://localhost:8787/tenant";
const copy = new DatabaseSync("copy.db");
copy.exec(`
  CREATE TABLE IF NOT EXISTS resources (kind TEXT, id TEXT, bank TEXT, content TEXT, PRIMARY KEY (kind, id));
  CREATE TABLE IF NOT EXISTS lists (path TEXT PRIMARY KEY, kind TEXT, bank TEXT, cursor TEXT);
  CREATE TABLE IF NOT EXISTS place (cursor TEXT)`);
const run = (sql, ...values) => copy.prepare(sql).run(...values);
const first = (sql) => copy.prepare(sql).get();

async function get(path) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(API + path, { headers: { "X-API-Key": process.env.API_KEY } });
    if (response.ok) return response.json();
    const { error, detail } = await response.json();
    if (error === "cursor-expired") return { expired: true };
    if (![429, 503].includes(response.status) || attempt === 20) throw new Error(`${path}: ${error}: ${detail}`);
    await setTimeout(1_000 * Number(response.headers.get("Retry-After") ?? 5));
  }
}

function transaction(work) {
  copy.exec("BEGIN");
  work();
  copy.exec("COMMIT");
}

function store(kind, id, bank, content) {
  if (content === null) remove(kind, id);
  else run("INSERT OR REPLACE INTO resources VALUES (?, ?, ?, ?)", kind, id, bank, JSON.stringify(content));
}

function remove(kind, id) {
  run("DELETE FROM resources WHERE kind = ? AND id = ?", kind, id);
  if (kind === "ideaBank") run("DELETE FROM resources WHERE bank = ?", id);
  if (kind === "proposal") run("DELETE FROM resources WHERE kind = 'comment' AND content ->> 'proposalId' = ?", id);
}

const addList = (kind, path, bank = null) =>
  run("INSERT OR IGNORE INTO lists VALUES (?, ?, ?, NULL)", path, kind, bank);

async function begin() {
  const { nextCursor } = await get("/changes?after=now");
  transaction(() => {
    copy.exec("DELETE FROM resources; DELETE FROM lists; DELETE FROM place");
    run("INSERT INTO place VALUES (?)", nextCursor);
    addList("survey", "/surveys");
    addList("panelist", "/panelists");
    addList("ideaBank", "/ideabanks");
  });
}

async function copyLists() {
  for (;;) {
    const list = first("SELECT * FROM lists LIMIT 1");
    if (!list) return;
    const { items, nextCursor } = await get(`${list.path}?limit=100${list.cursor ? `&cursor=${list.cursor}` : ""}`);
    transaction(() => {
      for (const item of items) {
        store(list.kind, item.id, list.bank, item);
        if (list.kind !== "ideaBank") continue;
        addList("proposal", `/ideabanks/${item.id}/proposals`, item.id);
        addList("comment", `/ideabanks/${item.id}/comments`, item.id);
      }
      if (nextCursor) run("UPDATE lists SET cursor = ? WHERE path = ?", nextCursor, list.path);
      else run("DELETE FROM lists WHERE path = ?", list.path);
    });
  }
}

if (!first("SELECT * FROM place")) await begin();
for (;;) {
  await copyLists();
  const { expired, items, nextCursor } = await get(`/changes?limit=100&after=${first("SELECT * FROM place").cursor}`);
  if (expired) {
    await begin();
    continue;
  }
  if (items.length === 0) break;
  transaction(() => {
    for (const change of items)
      for (const kind of ["ideaBank", "proposal", "comment", "panelist", "survey"])
        if (kind in change) store(kind, change[`${kind}Id`], change.ideaBankId ?? null, change[kind]);
    run("UPDATE place SET cursor = ?", nextCursor);
  });
}
