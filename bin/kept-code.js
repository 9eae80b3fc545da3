// Loads a bundle of one file with the code that the runtime compiled of it before, kept beside it.
// Who can write there can write the bundle as well.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** What a program needs at its start has been compiled by then, and nobody waits for it any more. */
const KEEP_AFTER_MS = 4_000;
/** The checksum behind kept code. The runtime doesn't look whether its disk has lost some of it. */
const CHECKSUM_LENGTH = 4;

/**
 * Runs a CommonJS bundle in the function that the runtime would put around it. Its last line is a comment with the hash of
 * what is in it.
 * @param {string} file
 * @param {number} keepAfterMs when its compiled code is written, where there is none
 * @returns what it exports
 */
export function loadKept(file, keepAfterMs = KEEP_AFTER_MS) {
	const source = readFileSync(file, "latin1");
	const hash = source.slice(source.lastIndexOf("//") + 2).trim();
	const kept = `${file}.${hash}-${process.version}-${process.arch}.cache`;
	const script = new Script(source, { filename: pathToFileURL(file).href, cachedData: codeIn(kept) });
	const bundle = { exports: {} };
	script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
	// Undefined where there was none, true where the runtime couldn't use it.
	if (script.cachedDataRejected !== false) setTimeout(keep, keepAfterMs, script, kept).unref();
	return bundle.exports;
}

/** Undefined where there is none, or not all of it. */
function codeIn(path) {
	try {
		const bytes = readFileSync(path);
		const code = bytes.subarray(0, -CHECKSUM_LENGTH);
		return crc32(code) === bytes.readUInt32LE(code.length) ? code : undefined;
	} catch {
		return undefined;
	}
}

/** Writes what has been compiled so far. Where that isn't possible the next start takes as long as this one. */
function keep(script, path) {
	const draft = `${path}.${process.pid}`;
	try {
		const code = script.createCachedData();
		const checksum = Buffer.alloc(CHECKSUM_LENGTH);
		checksum.writeUInt32LE(crc32(code));
		writeFileSync(draft, Buffer.concat([code, checksum]));
		renameSync(draft, path);
	} catch {
		rmSync(draft, { force: true });
	}
}
