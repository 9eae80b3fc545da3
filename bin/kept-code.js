// Loads a bundle of one file with the code that the runtime compiled of it before, kept beside it.
// Who can write there can write the bundle as well.
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, Script } from "node:vm";

/** What a program needs at its start has been compiled by then, and nobody waits for it any more. */
const KEEP_AFTER_MS = 4_000;

/**
 * Runs a CommonJS bundle in the function that the runtime would put around it. Its last line is a comment with the hash of
 * what is in it.
 * @param {string} file
 * @returns what it exports
 */
export function loadKept(file) {
	const source = readFileSync(file, "latin1");
	const hash = source.slice(source.lastIndexOf("//") + 2).trim();
	const kept = `${file}.${hash}-${process.version}-${process.arch}.cache`;
	const script = new Script(source, {
		filename: pathToFileURL(file).href,
		cachedData: bytesOf(kept),
		importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
	});
	const bundle = { exports: {} };
	script.runInThisContext()(bundle.exports, createRequire(file), bundle, file, dirname(file));
	if (script.cachedDataRejected !== false) setTimeout(keep, KEEP_AFTER_MS, script, kept).unref();
	return bundle.exports;
}

function bytesOf(path) {
	try {
		return readFileSync(path);
	} catch {
		return undefined;
	}
}

/** Writes what has been compiled so far. Where that isn't possible the next start takes as long as this one. */
function keep(script, path) {
	const draft = `${path}.${process.pid}`;
	try {
		writeFileSync(draft, script.createCachedData());
		renameSync(draft, path);
	} catch {
		rmSync(draft, { force: true });
	}
}
