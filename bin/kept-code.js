// Loads a bundle of one file with the code that the runtime compiled of it before. It is kept beside the bundle, or in the user's own
// folder where that can't be written. It is only used where nobody else could have written it, and only for the bytes that it was
// compiled from.
import {
	closeSync,
	constants,
	fstatSync,
	openSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";
import { ownFolder } from "./own-folder.js";

/**
 * Behind kept code: the topics that it was made by, their length, and a checksum which begins with the bundle's. The runtime doesn't
 * look whether its disk has lost some of it.
 */
const LENGTH_BYTES = 2;
const CHECKSUM_BYTES = 4;
/** More first words than the program has: code isn't written again without end. */
const MAX_TOPICS = 64;
/** Rights of others to change a file. */
const WRITABLE_BY_OTHERS = 0o022;
/** Neither a link nor something that is waited for. */
const READ_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Runs a CommonJS bundle in the function that the runtime would put around it. Its last line is a comment with the hash of
 * what is in it.
 * @param {string} file
 * @param {{ part: string, topic: string, keepAfterMs?: number }} use what runs: `part` has kept code of its own, to which each `topic`
 *   adds what it needs, `keepAfterMs` after its start or else at its end, if it succeeds
 * @param {(make: boolean) => string | undefined} findOwn finds the user's own folder, or makes it
 * @returns what it exports
 */
export function loadKept(file, { part, topic, keepAfterMs }, findOwn = findOwnFolder) {
	const bytes = readFileSync(file);
	const source = bytes.toString("latin1");
	const bundleSum = crc32(bytes);
	const hash = source.slice(source.lastIndexOf("//") + 2).trim();
	const begin = `${basename(file)}.${part}-`;
	const name = `${begin}${hash}-${process.version}-${process.arch}.cache`;
	const owner = statSync(file).uid;
	const read = (folder) => (folder === undefined ? undefined : codeIn(join(folder, name), bundleSum, owner));
	// To look for code makes no folder.
	const kept = read(dirname(file)) ?? read(findOwn(false));
	const script = new Script(source, { filename: pathToFileURL(file).href, cachedData: kept?.code });
	const bundle = { exports: {} };
	script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
	const topics = script.cachedDataRejected === false ? kept.topics : [];
	if (!topics.includes(topic) && topics.length < MAX_TOPICS) {
		const keep = () => keepCode(script, [...topics, topic], bundleSum, { file, name, begin, findOwn });
		if (keepAfterMs === undefined) process.once("exit", (code) => code === 0 && keep());
		else setTimeout(keep, keepAfterMs).unref();
	}
	return bundle.exports;
}

const findOwnFolder = (make) => ownFolder(process.env, make);

/** @returns undefined where there is none that can be trusted, or not all of it */
function codeIn(path, bundleSum, owner) {
	let descriptor;
	try {
		descriptor = openSync(path, READ_FILE);
		if (!isOurs(fstatSync(descriptor), owner)) return undefined;
		const bytes = readFileSync(descriptor);
		const rest = bytes.subarray(0, -CHECKSUM_BYTES);
		if (crc32(rest, bundleSum) !== bytes.readUInt32LE(rest.length)) return undefined;
		const end = rest.length - LENGTH_BYTES;
		const begin = end - rest.readUInt16LE(end);
		return { code: rest.subarray(0, begin), topics: rest.toString("utf8", begin, end).split("\n") };
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
function keepCode(script, topics, bundleSum, { file, name, begin, findOwn }) {
	const names = Buffer.from(topics.join("\n").slice(0, 0x7fff));
	const trailer = Buffer.alloc(LENGTH_BYTES);
	trailer.writeUInt16LE(names.length);
	const content = Buffer.concat([script.createCachedData(), names, trailer]);
	const checksum = Buffer.alloc(CHECKSUM_BYTES);
	checksum.writeUInt32LE(crc32(content, bundleSum));
	const bytes = Buffer.concat([content, checksum]);
	if (write(join(dirname(file), name), bytes)) return;
	const own = findOwn(true);
	if (own === undefined || !write(join(own, name), bytes)) return;
	// What was kept there for other versions would stay for ever.
	const others = readdirSync(own).filter((other) => other.startsWith(begin) && other !== name);
	for (const other of others) rmSync(join(own, other), { force: true });
}

/** @returns whether it could be written */
function write(path, bytes) {
	const draft = `${path}.${process.pid}`;
	try {
		// What lies there is another's, or left by a process that was killed.
		rmSync(draft, { force: true });
		writeFileSync(draft, bytes, { flag: "wx", mode: 0o644 });
		renameSync(draft, path);
		return true;
	} catch {
		rmSync(draft, { force: true });
		return false;
	}
}
