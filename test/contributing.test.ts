import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";

interface FileDiff {
	readonly path: string;
	/** Runs of lines that the file has to contain, one after the other. */
	readonly hunks: readonly string[];
	/** Sources that added lines import. */
	readonly imports: readonly string[];
}

/** The worked diffs of CONTRIBUTING.md, by file. */
function workedDiffs(): FileDiff[] {
	const page = readFileSync("CONTRIBUTING.md", "utf8");
	const blocks = [...page.matchAll(/^```diff\n(.*?)^```$/gms)].map(([, block]) => block as string);
	return blocks.flatMap((block) =>
		block
			.split(/^\+\+\+ /m)
			.slice(1)
			.map((text) => {
				const [path = "", ...hunks] = text.split(/\n@@\n/);
				return { path, hunks: hunks.map(presentLines), imports: importsOf(path, text) };
			}),
	);
}

/** What stands in the file before the diff is applied. */
function presentLines(hunk: string): string {
	const lines = hunk.replace(/\n$/, "").split("\n");
	return lines
		.filter((line) => !line.startsWith("+"))
		.map((line) => line.slice(1))
		.join("\n");
}

const IMPORT = /^\+import .* from "(\.[^"]*)\.js";$/gm;

function importsOf(path: string, text: string): string[] {
	return [...text.matchAll(IMPORT)].map(([, target = ""]) => `${normalize(join(dirname(path), target))}.ts`);
}

const diffs = workedDiffs();

test("CONTRIBUTING.md shows changes of six kinds", () => {
	expect(diffs.length).toBeGreaterThanOrEqual(20);
});

describe.each(diffs)("the worked diff of $path", ({ path, hunks, imports }) => {
	test("imports what is there, or what another one adds", () => {
		const added = diffs.map((diff) => diff.path);
		expect(imports.filter((target) => !existsSync(target) && !added.includes(target))).toEqual([]);
	});

	test("fits the file as it is", () => {
		const added = hunks.every((hunk) => hunk === "");
		expect(existsSync(path)).toBe(!added);
		const source = added ? "" : readFileSync(path, "utf8");
		// Where a row was added beside it, the example moves below that row.
		expect(
			hunks.filter((hunk) => !source.includes(hunk)),
			`lines that don't stand together in ${path}`,
		).toEqual([]);
	});
});
