// Loads a bundle of one file with the code that the runtime compiled of it before, kept beside it.
// It is only used where nobody else could have written it, and only for the bytes that it was compiled from.
import {
	closeSync,
	constants,
	fstatSync,
	openSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** What a program needs at its start has been compiled by then, and nobody waits for it any more. */
const KEEP_AFTER_MS = 4_000;
/** The checksum behind kept code, which begins with the bundle's. The runtime doesn't look whether its disk has lost some of it. */
const CHECKSUM_LENGTH = 4;
/** Rights of others to change a file. */
const WRITABLE_BY_OTHERS = 0o022;
/** Neither a link nor something that is waited for. */
const READ_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Runs a CommonJS bundle in the function that the runtime would put around it. Its last line is a comment with the hash of
 * what is in it.
 * @param {string} file
 * @param {number} keepAfterMs when its compiled code is written, where there is none
 * @returns what it exports
 */
export function loadKept(file, keepAfterMs = KEEP_AFTER_MS) {
	const bytes = readFileSync(file);
	const source = bytes.toString("latin1");
	const bundleSum = crc32(bytes);
	const hash = source.slice(source.lastIndexOf("//") + 2).trim();
	const kept = `${file}.${hash}-${process.version}-${process.arch}.cache`;
	const script = new Script(source, {
		filename: pathToFileURL(file).href,
		cachedData: codeIn(kept, bundleSum, statSync(file).uid),
	});
	const bundle = { exports: {} };
	script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
	// Undefined where there was none, true where the runtime couldn't use it.
	if (script.cachedDataRejected !== false) setTimeout(keep, keepAfterMs, script, kept, bundleSum).unref();
	return bundle.exports;
}

/** Undefined where there is none that can be trusted, or not all of it. */
function codeIn(path, bundleSum, owner) {
	let descriptor;
	try {
		descriptor = openSync(path, READ_FILE);
		if (!isOurs(fstatSync(descriptor), owner)) return undefined;
		const bytes = readFileSync(descriptor);
		const code = bytes.subarray(0, -CHECKSUM_LENGTH);
		return crc32(code, bundleSum) === bytes.readUInt32LE(code.length) ? code : undefined;
	} catch {
		return undefined;
	} finally {
		if (descriptor !== undefined) closeSync(descriptor);
	}
}

/** Whether a file was written by this user, the bundle's or the system's, and can't be changed by another. */
function isOurs(file, owner) {
	const own = process.getuid?.();
	if (!file.isFile() || own === undefined) return file.isFile();
	return [own, owner, 0].includes(file.uid) && (file.mode & WRITABLE_BY_OTHERS) === 0;
}

/** Writes what has been compiled so far. Where that isn't possible the next start takes as long as this one. */
function keep(script, path, bundleSum) {
	const draft = `${path}.${process.pid}`;
	try {
		const code = script.createCachedData();
		const checksum = Buffer.alloc(CHECKSUM_LENGTH);
		checksum.writeUInt32LE(crc32(code, bundleSum));
		// What lies there is another's, or left by a process that was killed.
		rmSync(draft, { force: true });
		writeFileSync(draft, Buffer.concat([code, checksum]), { flag: "wx", mode: 0o644 });
		renameSync(draft, path);
	} catch {
		rmSync(draft, { force: true });
	}
}
