/** A folder with packages of this project, as `npm install` would fill it. */
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { expect } from "vitest";

/** What `npm install` would put into the folder, taken from this project's own packages: these, and none besides. */
export async function install(folder: string, specifiers: readonly string[]): Promise<void> {
  for (const specifier of specifiers) {
    const [, name = "", major] = /^(@?[^@]+)(?:@(\d+))?$/.exec(specifier) ?? [];
    const source = ["test/node_modules", "node_modules"].map((place) => resolve(place, name)).find(existsSync) ?? name;
    const { version, bin = {} } = JSON.parse(await readFile(join(source, "package.json"), "utf8"));
    if (major !== undefined) expect(version).toMatch(new RegExp(`^${major}\\.`));
    const target = join(folder, "node_modules", name);
    await mkdir(dirname(target), { recursive: true });
    await symlink(source, target, "dir");
    await mkdir(join(folder, "node_modules/.bin"), { recursive: true });
    for (const [command, path] of Object.entries<string>(bin)) {
      await symlink(join(source, path), join(folder, "node_modules/.bin", command));
    }
  }
}
