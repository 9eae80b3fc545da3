/**
 * Writes the `NOTICES.txt` of a crate in `crates/`: the licences of its linked dependencies, which `npm run
 * bundle` ships with the program. Needs cargo, after `cargo fetch` in the crate's folder.
 *
 * npx tsx scripts/crate-notices.ts sapling-prover|signature-recovery
 */

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The built file of each crate, and its target. */
const CRATES: Readonly<Record<string, { readonly file: string; readonly target: string }>> = {
	"sapling-prover": { file: "proving/sapling-prover.wasm", target: "wasm32-unknown-unknown" },
	"signature-recovery": {
		file: "node/signatures/recovery.linux-x64.node",
		target: "x86_64-unknown-linux-gnu",
	},
};

const name = process.argv[2] ?? "";
const built = CRATES[name];
if (!built) throw new Error(`name one of ${Object.keys(CRATES).join(", ")}`);
const crate = join(import.meta.dirname, "..", "crates", name);

interface Metadata {
	readonly packages: readonly {
		readonly id: string;
		readonly name: string;
		readonly version: string;
		readonly license: string | null;
		readonly license_file: string | null;
		readonly manifest_path: string;
		readonly source: string | null;
		readonly authors: readonly string[];
		readonly targets: readonly { readonly kind: readonly string[] }[];
	}[];
	readonly resolve: {
		readonly root: string;
		readonly nodes: readonly {
			readonly id: string;
			readonly deps: readonly {
				readonly pkg: string;
				readonly dep_kinds: readonly { readonly kind: string | null }[];
			}[];
		}[];
	};
}

const args = ["metadata", "--format-version", "1", "--offline", "--locked"];
const platform = ["--filter-platform", built.target];
const metadata = JSON.parse(
	execFileSync("cargo", [...args, ...platform], { cwd: crate, maxBuffer: 1 << 28 }).toString(),
) as Metadata;

const nodes = new Map(metadata.resolve.nodes.map((node) => [node.id, node]));
const packages = new Map(metadata.packages.map((item) => [item.id, item]));

/** Linked crates only: no build, proc-macro or dev dependencies. */
const linked = new Set<string>();
function collect(id: string): void {
	const item = packages.get(id);
	if (linked.has(id) || !item || item.targets.some(({ kind }) => kind.includes("proc-macro"))) return;
	linked.add(id);
	for (const { pkg, dep_kinds } of nodes.get(id)?.deps ?? []) {
		if (dep_kinds.some(({ kind }) => kind === null)) collect(pkg);
	}
}
collect(metadata.resolve.root);

/** By preference: a package with several licences may be used under the shortest. */
const WANTED = [/^licen[cs]e-mit/i, /^licen[cs]e(?!-apache)/i, /^copying/i, /^licen[cs]e/i];

function textOf(folder: string): string | undefined {
	const files = readdirSync(folder).sort();
	for (const pattern of WANTED) {
		const name = files.find((file) => pattern.test(file));
		if (name) return readFileSync(join(folder, name), "utf8").trim().replaceAll("\r\n", "\n");
	}
	return undefined;
}

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const byText = new Map<string, string[]>();
for (const id of linked) {
	const item = packages.get(id);
	if (!item?.source) continue;
	const { name, version, license, manifest_path, authors } = item;
	let text = textOf(dirname(manifest_path));
	if (text === undefined) {
		// The package omits the licence text, which the licence requires.
		if (!license?.includes("MIT"))
			throw new Error(`${name} has no licence file, and its licence is ${license}`);
		text = `Copyright (c) ${authors.length > 0 ? authors.join(", ") : `the authors of ${name}`}\n\n${MIT}`;
	}
	byText.set(text, [...(byText.get(text) ?? []), `${name} ${version} (${license})`]);
	// Bundled C libraries have licences of their own.
	const inside = join(dirname(manifest_path), "depend");
	for (const library of existsSync(inside) ? readdirSync(inside) : []) {
		const terms = statSync(join(inside, library)).isDirectory() && textOf(join(inside, library));
		if (terms) byText.set(terms, [`${library}, in ${name} ${version}`]);
	}
}
const sections = [...byText].map(([text, names]) => `${names.sort().join("\n")}\n\n${text}`).sort();
const rule = `\n\n${"-".repeat(80)}\n\n`;
const opening = `${built.file} contains code of the following crates, each under its own terms.`;
writeFileSync(join(crate, "NOTICES.txt"), `${[opening, ...sections].join(rule)}\n`);
process.stdout.write(`${linked.size - 1} crates, ${byText.size} texts\n`);
for (const [text, names] of byText) {
	if (!/permission is hereby granted|apache license|redistribution and use/i.test(text)) {
		process.stdout.write(`look at the text of ${names.join(", ")}\n`);
	}
}
