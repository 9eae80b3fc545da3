// Where compiled code is kept that can't lie beside the program. Not in the shared temporary directory: whoever makes a folder there
// first would run code as the user of the next command.
import { mkdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";

const RIGHTS_OF_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
/** In such a folder nobody can put something in the place of what is another's. */
const STICKY = 0o1000;

/**
 * A folder that this user alone can read and write, and no other can put another one in the place of; undefined: there is none.
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @param {boolean} make whether it is made where there is none yet
 */
export function ownFolder(environment = process.env, make = true) {
	try {
		const given = environment["XDG_CACHE_HOME"] ?? "";
		const folder = join(isAbsolute(given) ? given : join(homedir(), ".cache"), "coin", "compiled");
		const own = process.getuid?.();
		// The system gives each user a home of its own where there are no such rights.
		if (own === undefined) return folder;
		if (make) mkdirSync(folder, { recursive: true, mode: 0o700 });
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
