import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";

/** Floors of the rooms as docs/architecture.md lists them, by folder or file, longest name first. */
function readFloors(): readonly (readonly [room: string, floor: number])[] {
	const rows = readFileSync("docs/architecture.md", "utf8").matchAll(/^\| (\d+) +\| `(src\/[^`]+)`/gm);
	const floors = [...rows].flatMap(([, floor, room]) =>
		expand(room as string).map((name) => [name, Number(floor)] as const),
	);
	return floors.sort(([a], [b]) => b.length - a.length);
}

/** `src/{a,b}/` names two rooms; `src/node/*.ts` the files that stand in no room of their own. */
function expand(room: string): string[] {
	const [, head, names, tail] = /^(.*)\{(.*)\}(.*)$/.exec(room) ?? [];
	if (names === undefined) return [room.replace("*.ts", "")];
	return names.split(",").map((name) => `${head}${name}${tail}`);
}

const floors = readFloors();

function floorOf(path: string): number {
	const row = floors.find(([room]) => path.startsWith(room));
	if (!row) throw new Error(`docs/architecture.md names no room for ${path}`);
	return row[1];
}

const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]*)\.js"/g;

test("no room imports from a floor above its own", () => {
	const upward: string[] = [];
	const sources = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((path) =>
		path.endsWith(".ts"),
	);
	for (const source of sources) {
		const path = join("src", source);
		if (path.includes("/generated/")) continue;
		for (const [, target] of readFileSync(path, "utf8").matchAll(IMPORT)) {
			const imported = `${normalize(join(dirname(path), target as string))}.ts`;
			if (floorOf(imported) > floorOf(path)) upward.push(`${path} -> ${imported}`);
		}
	}
	expect(sources.length).toBeGreaterThan(300);
	expect(upward).toEqual([]);
});
