/** The clock of the benchmark's world, and its D1 with replicas that lag. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { Clock, clock, where } from "../bench/world/clock.ts";
import { ReplicatedDatabase } from "../bench/world/database.ts";
import { PRIMARY } from "../bench/world/latencies.ts";
import { Random } from "./random.ts";
import { addIdeaBank } from "./world.ts";

const SYDNEY = 5;
/** Longer than any lag. */
const LONG_MS = 600_000;

describe("the world's clock", () => {
  it("moves on to the next timer, in order", async () => {
    const own = new Clock();
    const fired: [string, number][] = [];
    const note = (name: string) => fired.push([name, own.now]);
    own.at(30, () => note("third"));
    own.at(10, () => note("first"));
    const slept = own.sleep(20).then(() => note("second"));
    await own.runUntil(slept.then(() => own.sleep(100)));
    expect(fired).toEqual([
      ["first", 10],
      ["second", 20],
      ["third", 30],
    ]);
    expect(own.now).toBe(120);
  });

  it("stands still while real work is done, however long that takes", async () => {
    const own = new Clock();
    let endedAt: number | undefined;
    const work = own.real(async () => {
      for (let turn = 0; turn < 20; turn++) await env.DB.prepare("SELECT 1").first();
      endedAt = own.now;
    });
    await own.runUntil(Promise.all([work, own.sleep(1)]));
    expect([endedAt, own.now]).toEqual([0, 1]);
  });

  it("says so when nothing is left to happen", async () => {
    await expect(new Clock().runUntil(new Promise(() => {}))).rejects.toThrow("nothing is left");
  });

  it("gives back a failure", async () => {
    const own = new Clock();
    const failing = own.sleep(5).then(() => Promise.reject(new Error("no")));
    await expect(own.runUntil(failing)).rejects.toThrow("no");
  });
});

describe("the world's D1", () => {
  async function setUp() {
    const { id } = await addIdeaBank({ digit: "0" });
    await env.REPLICA.exec("CREATE TABLE IF NOT EXISTS idea_banks (id TEXT, name TEXT, changelog_version INTEGER)");
    await env.REPLICA.prepare("INSERT INTO idea_banks (id, name) VALUES (?1, 'An idea bank')").bind(id).run();
    let primary = 0;
    const world = new ReplicatedDatabase(env.DB, new Map([[SYDNEY, env.REPLICA]]), new Random(1), (_, atPrimary) => {
      primary += atPrimary ? 1 : 0;
    });
    const binding = world.binding();
    /** What a reader in a place sees, how long it took, and whether the primary answered. */
    const read = (place: number, session: D1DatabaseSession | D1Database) =>
      where.run({ place }, async () => {
        const [asked, before] = [clock.now, primary];
        const statement = session.prepare("SELECT name FROM idea_banks WHERE id = ?1").bind(id);
        const name = await clock.runUntil(statement.first<string>("name"));
        return { name, ms: clock.now - asked, atPrimary: primary > before };
      });
    const rename = (name: string) => world.write("UPDATE idea_banks SET name = ?2 WHERE id = ?1", id, name);
    return { binding, read, rename };
  }

  it("is near at a replica, which shows a write later, and far at the primary, which shows it at once", async () => {
    const { binding, read, rename } = await setUp();
    await rename("Renamed");
    const near = await read(SYDNEY, binding.withSession("first-unconstrained"));
    expect(near).toMatchObject({ name: "An idea bank", atPrimary: false });
    expect(near.ms).toBeLessThan(100);
    const far = await read(SYDNEY, binding.withSession("first-primary"));
    expect(far).toMatchObject({ name: "Renamed", atPrimary: true });
    expect(far.ms).toBeGreaterThan(200);
    expect(await read(SYDNEY, binding)).toMatchObject({ name: "Renamed", atPrimary: true });
    expect((await read(PRIMARY, binding.withSession("first-unconstrained"))).ms).toBeLessThan(100);
    await clock.runUntil(clock.sleep(LONG_MS));
    const later = await read(SYDNEY, binding.withSession("first-unconstrained"));
    expect(later).toMatchObject({ name: "Renamed", atPrimary: false });
    const version = "SELECT changelog_version FROM idea_banks WHERE name = 'Renamed'";
    expect(await env.REPLICA.prepare(version).first()).toEqual(await env.DB.prepare(version).first());
  });

  it("waits at a replica that has not reached the bookmark until it has, and then no more", {
    tags: "slow",
  }, async () => {
    const { binding, read, rename } = await setUp();
    await rename("Renamed");
    const session = binding.withSession("first-primary");
    await read(SYDNEY, session);
    const bookmark = session.getBookmark() ?? "";
    const waited = await read(SYDNEY, binding.withSession(bookmark));
    expect(waited).toMatchObject({ name: "Renamed", atPrimary: false });
    const near = await read(SYDNEY, binding.withSession(bookmark));
    expect(near).toMatchObject({ name: "Renamed", atPrimary: false });
    expect(near.ms).toBeLessThan(100);
    expect(waited.ms).toBeGreaterThan(near.ms);
  });
});
