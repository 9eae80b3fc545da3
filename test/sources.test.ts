/** Citations in code name pages and sections of docs/protocol that are there. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const PAGES = "docs/protocol";

/** Section numbers by page. */
const pages: ReadonlyMap<string, ReadonlySet<string>> = new Map(
	readdirSync(PAGES)
		.filter((name) => name.endsWith(".md"))
		.map((name) => {
			const text = readFileSync(join(PAGES, name), "utf8");
			const numbers = [...text.matchAll(/^#{2,3} (\d+(?:\.\d+)?)\.? /gm)].map(
				([, number]) => number as string,
			);
			expect(new Set(numbers).size, `a section stands twice in ${name}`).toBe(numbers.length);
			return [basename(name, ".md"), new Set(numbers)];
		}),
);

/** `protocol/page`, then the sections that are named: `§1.2`, `§§1.2, 1.3 and 2`, `§1 to §3`. A line of a comment may end in between. */
const GAP = String.raw`(?:\s*\n\s*(?:\*|//)\s*|\s*)`;
const NUMBER = String.raw`§{0,2}\d+(?:\.\d+)?`;
const CITATION = new RegExp(
	String.raw`\bprotocol\/([a-z][a-z-]*)\b(?![./\w])(?:,?${GAP}(§${GAP}§?\d+(?:\.\d+)?(?:(?:,|${GAP}and|${GAP}to)${GAP}${NUMBER})*))?`,
	"g",
);

interface Citation {
	readonly at: string;
	readonly page: string;
	readonly sections: readonly string[];
}

function citationsOf(path: string, text: string): Citation[] {
	return [...text.matchAll(CITATION)]
		.filter((match) => !/["'`/]$/.test(text.slice(0, match.index)))
		.map((match) => ({
			at: `${path}:${text.slice(0, match.index).split("\n").length}`,
			page: match[1] as string,
			sections: [...(match[2] ?? "").matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => number),
		}));
}

/** What of a citation isn't there. */
function missing({ at, page, sections }: Citation): string[] {
	const known = pages.get(page);
	if (!known) return [`${at}: no page ${page}`];
	return sections
		.filter((section) => !known.has(section))
		.map((section) => `${at}: no §${section} in ${page}`);
}

function sources(...folders: string[]): string[] {
	return folders.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.(ts|proto)$/.test(name))
			.map((name) => join(folder, name)),
	);
}

test("a citation of a page or section that isn't there is found", () => {
	const text = [
		"/** One (protocol/blocks §1.1 and 77.7). */",
		"// Other: protocol/nowhere §1",
		'import x from "../protocol/blocks.js";',
	].join("\n");
	expect(citationsOf("a.ts", text).flatMap(missing)).toEqual([
		"a.ts:1: no §77.7 in blocks",
		"a.ts:2: no page nowhere",
	]);
});

test("every citation in code can be opened", () => {
	const citations = sources("src", "test", "bench", "scripts", "tools", "proto").flatMap((path) =>
		path === join("test", "sources.test.ts") ? [] : citationsOf(path, readFileSync(path, "utf8")),
	);
	expect(citations.length).toBeGreaterThan(400);
	expect(citations.flatMap(missing)).toEqual([]);
});

test("links between the pages lead somewhere", () => {
	const dead = [...pages.keys()].flatMap((page) => {
		const text = readFileSync(join(PAGES, `${page}.md`), "utf8");
		return [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
			.map(([, target]) => target as string)
			.filter((target) => !/^https?:/.test(target) && !exists(join(PAGES, target)))
			.map((target) => `${page}: ${target}`);
	});
	expect(dead).toEqual([]);
});

function exists(path: string): boolean {
	try {
		readFileSync(path);
		return true;
	} catch {
		return false;
	}
}
