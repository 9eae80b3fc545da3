// Where newer runtimes keep compiled code between runs. The runtime's own choice is a folder in the shared temporary directory, and it
// doesn't look who wrote what is in there: whoever makes it first would run code as the user of the next command.
import { mkdirSync, realpathSync, statSync } from "node:fs";
import module from "node:module";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const RIGHTS_OF_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder nobody can put something in the place of what is another's. */
const STICKY = 0o1000;

/**
 * Has a runtime that can do so keep compiled code in a folder of the user's own; where there can't be one nothing is kept.
 * @param {{ enableCompileCache?: (folder: string) => unknown }} runtime
 * @param {() => string | undefined} find finds or makes the folder
 */
export function keepCompiledCode(runtime = module, find = ownFolder) {
	if (!runtime.enableCompileCache) return;
	const folder = find();
	if (folder !== undefined) runtime.enableCompileCache(folder);
}

/**
 * A folder that this user alone can read and write, and no other can put another one in the place of; undefined: there is none.
 * @param {Readonly<Record<string, string | undefined>>} environment
 */
export function ownFolder(environment = process.env) {
	try {
		const given = environment["XDG_CACHE_HOME"] ?? "";
		const folder = join(isAbsolute(given) ? given : join(homedir(), ".cache"), "coin", "compiled");
		const own = process.getuid?.();
		// The system gives each user a home of its own where there are no such rights.
		if (own === undefined) return folder;
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		const real = realpathSync(folder);
		const { uid, mode } = statSync(real);
		if (uid !== own || (mode & RIGHTS_OF_OTHERS) !== 0) return undefined;
		return isBelowOwn(real, own) ? real : undefined;
	} catch {
		return undefined;
	}
}

/** Whether every folder above is the user's or the system's, and can't be changed by another. */
function isBelowOwn(folder, own) {
	for (let path = dirname(folder); ; path = dirname(path)) {
		const { uid, mode } = statSync(path);
		if (uid !== own && uid !== 0) return false;
		if ((mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0) return false;
		if (path === dirname(path)) return true;
	}
}
