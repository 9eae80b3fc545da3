/**
 * The explorer's files as served: each read once, with headers that stop a browser from contacting other
 * hosts, running other scripts, or being framed by another page.
 */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

interface ExplorerFile {
	readonly type: string;
	readonly body: Buffer;
	/** The gzipped body for clients that accept it; undefined for small files. */
	readonly gzip: Buffer | undefined;
	readonly headers: Readonly<Record<string, string>> & { readonly ETag: string };
}

const POLICY = [
	"default-src 'none'",
	"script-src 'self'",
	"style-src 'self'",
	"connect-src 'self'",
	"img-src data:",
	"base-uri 'none'",
	"form-action 'none'",
	"frame-ancestors 'none'",
	"require-trusted-types-for 'script'",
].join("; ");

/** Files by their name below the folder, with their types. */
const FILES: ReadonlyMap<string, readonly [file: string, type: string]> = new Map([
	["", ["index.html", "text/html;charset=utf-8"] as const],
	["index.html", ["index.html", "text/html;charset=utf-8"] as const],
	["explorer.js", ["explorer.js", "text/javascript;charset=utf-8"] as const],
	["qr-path.js", ["qr-path.js", "text/javascript;charset=utf-8"] as const],
	["style.css", ["style.css", "text/css;charset=utf-8"] as const],
]);

const SMALL_BYTES = 1_024;

/** Tells the page what kind of chain this is. */
const SITE = "site.json";
/** Network facts the page would otherwise duplicate: parameters, transaction types. */
const FACTS = "facts.json";

/** The page's files, each read on first request. */
export class ExplorerFiles {
	private readonly kept = new Map<string, Promise<ExplorerFile>>();

	/** @param folder where the files are; undefined: this installation lacks them */
	constructor(private readonly folder: string | undefined) {}

	/**
	 * A file of the page; undefined if there is none.
	 * @param name what follows the folder in the path
	 * @param development whether the page shows what the chain's owner can do
	 */
	async find(name: string, development: boolean): Promise<ExplorerFile | undefined> {
		if (name === SITE) return jsonFile({ kind: development ? "development" : "network" });
		if (name === FACTS) return this.once(FACTS, async () => jsonFile(await networkFacts()));
		const known = FILES.get(name);
		const { folder } = this;
		if (!known || folder === undefined) return undefined;
		const [file, type] = known;
		return this.once(file, async () => withHeaders(type, await readFile(join(folder, file))));
	}

	private once(file: string, make: () => Promise<ExplorerFile>): Promise<ExplorerFile> {
		const found = this.kept.get(file) ?? make();
		this.kept.set(file, found);
		return found;
	}
}

async function networkFacts(): Promise<object> {
	const [{ chainParameters }, { PARAMETER_NOTES }, { contractTypes, shortName }] = await Promise.all([
		import("../consensus/parameters.js"),
		import("../consensus/parameter-notes.js"),
		import("../../protocol/contract-types.js"),
	]);
	const parameters = chainParameters.map(({ id, name, getter }) => ({
		id: id?.toString() ?? "",
		name,
		getter,
		about: PARAMETER_NOTES[name] ?? "",
	}));
	const types = contractTypes.map((type) => ({ id: type.id, name: shortName(type) }));
	return { parameters, types };
}

/** The files of this installation. */
export const installedExplorer = new ExplorerFiles(installedFolder());

function jsonFile(value: object): ExplorerFile {
	return withHeaders("application/json", Buffer.from(`${JSON.stringify(value)}\n`));
}

/** The page's folder, next to the program; in a built checkout, below `dist/`. */
function installedFolder(): string | undefined {
	for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
		for (const parts of [["explorer"], ["dist", "explorer"]]) {
			const path = join(folder, ...parts);
			if (existsSync(join(path, "explorer.js"))) return path;
		}
		if (folder === dirname(folder)) return undefined;
	}
}

function withHeaders(type: string, body: Buffer): ExplorerFile {
	const hash = createHash("sha256").update(body).digest("base64url").slice(0, 22);
	return {
		type,
		body,
		gzip: body.length > SMALL_BYTES ? gzipSync(body) : undefined,
		headers: {
			// One weak tag for both forms, which differ in bytes but not in meaning.
			ETag: `W/"${hash}"`,
			Vary: "Accept-Encoding",
			"Cache-Control": "no-cache",
			"Content-Security-Policy": POLICY,
			"Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Referrer-Policy": "no-referrer",
			"X-Content-Type-Options": "nosniff",
		},
	};
}
