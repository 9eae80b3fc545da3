import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { firstSource, sourceTrace } from "../../src/diagnostics/stack-trace.js";

/** Line 1, column 1 of the bundle is line 1 of the source; column 11 is line 6, column 3. */
const MAP = JSON.stringify({
	version: 3,
	sources: ["../../src/node/clock.ts"],
	names: [],
	mappings: "AAAA,UAKE",
});

function errorWith(frames: readonly string[], cause?: unknown): Error {
	const error = new Error("out of time", { cause });
	error.stack = ["Error: out of time", ...frames.map((frame) => `    at ${frame}`)].join("\n");
	return error;
}

function reader(files: Readonly<Record<string, string>>): (path: string) => string {
	return (path) => {
		const text = files[path];
		if (text === undefined) throw new Error(`no file ${path}`);
		return text;
	};
}

test("a trace names source files and lines, relative to the program's folder", () => {
	const error = errorWith([
		"tick (file:///opt/coin/dist/chunks/a.js:1:14)",
		"file:///opt/coin/dist/chunks/a.js:1:3",
	]);
	const trace = sourceTrace(error, reader({ "/opt/coin/dist/chunks/a.js.map": MAP }));
	expect(trace.split("\n")).toEqual([
		"Error: out of time",
		"    at tick (src/node/clock.ts:6:3)",
		"    at src/node/clock.ts:1:1",
	]);
	expect(firstSource(trace)).toBe("src/node/clock.ts:6:3");
});

test("a folder of another name above the program doesn't mislead", () => {
	const error = errorWith(["file:///srv/dist/coin/dist/chunks/a.js:1:14"]);
	const trace = sourceTrace(error, reader({ "/srv/dist/coin/dist/chunks/a.js.map": MAP }));
	expect(trace).toContain("at src/node/clock.ts:6:3");
});

test("a map is read once a trace, and not again for positions that are known", () => {
	const read: string[] = [];
	const error = errorWith(["file:///once/dist/a.js:1:14", "file:///once/dist/a.js:1:3"]);
	for (let round = 0; round < 2; round++) {
		sourceTrace(error, (path) => {
			read.push(path);
			return MAP;
		});
	}
	expect(read).toEqual(["/once/dist/a.js.map"]);
});

test("a map may be compressed, as those of the package are", () => {
	const folder = mkdtempSync(join(tmpdir(), "coin-maps-"));
	mkdirSync(join(folder, "dist/chunks"), { recursive: true });
	writeFileSync(join(folder, "dist/chunks/a.js.map.gz"), gzipSync(MAP));
	const file = pathToFileURL(join(folder, "dist/chunks/a.js")).href;
	const plain = errorWith(["file:///plain/dist/chunks/a.js:1:14"]);
	const expected = sourceTrace(plain, reader({ "/plain/dist/chunks/a.js.map": MAP }));
	expect(sourceTrace(errorWith([`${file}:1:14`]))).toBe(expected);
	rmSync(folder, { recursive: true });
});

test.each([
	["no map", {}],
	["a damaged map", { "/gone/dist/b.js.map": "{" }],
	[
		"a map without this position",
		{ "/gone/dist/b.js.map": JSON.stringify({ version: 3, sources: [], mappings: "" }) },
	],
])("positions stay as they are where there is %s", (_, files) => {
	const error = errorWith(["tick (file:///gone/dist/b.js:7:1)", "node:internal/timers:581:17"]);
	expect(sourceTrace(error, reader(files))).toBe(error.stack);
});

test("causes follow, and a circle of causes ends", () => {
	const circle = errorWith([]);
	circle.cause = errorWith([], circle);
	expect(sourceTrace(circle).match(/caused by: /g)).toHaveLength(3);
	expect(sourceTrace(errorWith([], "disk full"))).toBe("Error: out of time\ncaused by: disk full");
});

test("what is no error is shown as text", () => {
	expect(sourceTrace("nothing")).toBe("nothing");
	expect(firstSource("nothing")).toBeUndefined();
});
