/** Which entries of a database a snapshot holds: the stores, records beside them, the list of segments. Not what belongs to one directory. */

import { notedName } from "../segments/segments.js";
import { storeDefinitions } from "../state/definition.js";

const SIDE = 0xfe;

/** Whether an entry is part of a snapshot. Keys of other kinds are not taken from one either. */
export function isCarried(key: Uint8Array): boolean {
	const first = key[0];
	if (first === undefined) return false;
	return first < storeDefinitions.length || first === SIDE || notedName(key) !== undefined;
}
