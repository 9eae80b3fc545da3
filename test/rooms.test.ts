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

const sources = readdirSync("src", { recursive: true, encoding: "utf8" })
	.filter((path) => path.endsWith(".ts") && !path.includes("generated"))
	.map((path) => join("src", path));

function targetOf(path: string, target: string): string {
	return `${normalize(join(dirname(path), target))}.ts`;
}

const STATEMENT = /^(?:import|export)\s+(?!type\b)([^;"]*?)from\s+"(\.[^"]*)\.js";/gm;

/** Files whose values a file takes when it is loaded: neither types nor what it loads later. */
function valueImports(path: string, text: string): string[] {
	return [...text.matchAll(STATEMENT)].flatMap(([, what = "", target = ""]) => {
		const names = /\{([^}]*)\}/.exec(what)?.[1]?.split(",") ?? [];
		const given = names.map((name) => name.trim()).filter((name) => name !== "");
		const isTypes = given.length > 0 && given.every((name) => name.startsWith("type "));
		return isTypes ? [] : [targetOf(path, target)];
	});
}

/** A circle among imports, if there is one: each file imports the next. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
	const done = new Set<string>();
	const walk = (path: string, way: readonly string[]): string[] => {
		if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
		if (done.has(path)) return [];
		for (const next of graph.get(path) ?? []) {
			const circle = walk(next, [...way, path]);
			if (circle.length > 0) return circle;
		}
		done.add(path);
		return [];
	};
	for (const path of graph.keys()) {
		const circle = walk(path, []);
		if (circle.length > 0) return circle;
	}
	return [];
}

const IMPORT = /(?:from|import)\s*\(?\s*"(\.[^"]*)\.js"/g;

test("no room imports from a floor above its own", () => {
	const upward: string[] = [];
	for (const path of sources) {
		for (const [, target] of readFileSync(path, "utf8").matchAll(IMPORT)) {
			const imported = targetOf(path, target as string);
			if (floorOf(imported) > floorOf(path)) upward.push(`${path} -> ${imported}`);
		}
	}
	expect(sources.length).toBeGreaterThan(300);
	expect(upward).toEqual([]);
});

test("node and wallet don't import from each other", () => {
	const crossing = sources.flatMap((path) => {
		const other = path.startsWith("src/node/")
			? "src/wallet/"
			: path.startsWith("src/wallet/")
				? "src/node/"
				: "";
		if (other === "") return [];
		const targets = [...readFileSync(path, "utf8").matchAll(IMPORT)].map(([, target = ""]) =>
			targetOf(path, target),
		);
		return targets.filter((target) => target.startsWith(other)).map((target) => `${path} -> ${target}`);
	});
	expect(crossing).toEqual([]);
});

test("no files import each other's values in a circle", () => {
	const graph = new Map(sources.map((path) => [path, valueImports(path, readFileSync(path, "utf8"))]));
	expect(graph.get("src/node/config/config.ts")).toContain("src/hocon/hocon.ts");
	expect(circleIn(graph)).toEqual([]);
});

test("no rooms of src/terminal import from each other in a circle", () => {
	const roomOf = (path: string) => dirname(path);
	const inTerminal = (path: string) => path.startsWith("src/terminal/");
	const graph = new Map<string, string[]>();
	for (const path of sources.filter(inTerminal)) {
		const targets = [...readFileSync(path, "utf8").matchAll(IMPORT)]
			.map(([, target = ""]) => targetOf(path, target))
			.filter((target) => inTerminal(target) && roomOf(target) !== roomOf(path));
		graph.set(roomOf(path), [...(graph.get(roomOf(path)) ?? []), ...targets.map(roomOf)]);
	}
	expect(graph.get("src/terminal/base")).toContain("src/terminal/output");
	expect(circleIn(graph)).toEqual([]);
});

test("a circle would be found", () => {
	const graph = new Map([
		["a.ts", valueImports("a.ts", 'import { type A, b } from "./b.js";')],
		["b.ts", valueImports("b.ts", 'import {\n\ta,\n} from "./a.js";\nimport type { C } from "./c.js";')],
	]);
	expect(circleIn(graph)).toEqual(["a.ts", "b.ts", "a.ts"]);
	expect(valueImports("b.ts", 'import { type A, type B } from "./a.js";')).toEqual([]);
});
