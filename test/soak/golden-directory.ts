/** Unpacks recorded data directories, and damages them as recorded. */

import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";

const BLOCK = 512;
const SIZE_AT = 124;
const TYPE_AT = 156;
const DIRECTORY = "5";

/** Unpacks a tar of plain files and directories (POSIX ustar, pubs.opengroup.org "pax"). */
export function unpack(file: string, target: string): void {
	const tar = brotliDecompressSync(readFileSync(file));
	for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0; ) {
		const text = (from: number, length: number): string =>
			tar.toString("latin1", at + from, at + from + length).replace(/\0.*$/s, "");
		const prefix = text(345, 155);
		const path = join(target, prefix, text(0, 100));
		const size = Number.parseInt(text(SIZE_AT, 12), 8);
		if (text(TYPE_AT, 1) === DIRECTORY) mkdirSync(path, { recursive: true });
		else {
			mkdirSync(dirname(path), { recursive: true });
			writeFileSync(path, tar.subarray(at + BLOCK, at + BLOCK + size));
		}
		at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
	}
}

type Operation = { readonly path: string } & (
	| { readonly op: "truncate"; readonly size: number }
	| { readonly op: "xor"; readonly offset: number; readonly mask: number }
	| { readonly op: "delete" }
);

interface DamagedCases {
	readonly base: string;
	readonly cases: readonly { readonly name: string; readonly ops: readonly Operation[] }[];
}

export function damagedCases(file: string): DamagedCases {
	return JSON.parse(readFileSync(file, "utf8")) as DamagedCases;
}

/** @returns path of the damaged file */
export function damage(source: string, operations: readonly Operation[]): string {
	let last = "";
	for (const operation of operations) {
		const path = join(source, operation.path);
		last = path;
		if (operation.op === "truncate") truncateSync(path, operation.size);
		else if (operation.op === "delete") rmSync(path);
		else {
			const bytes = readFileSync(path);
			bytes[operation.offset] = (bytes[operation.offset] as number) ^ operation.mask;
			writeFileSync(path, bytes);
		}
	}
	return last;
}
