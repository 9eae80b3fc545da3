/** How the servers of a release write JSON (protocol/releases §4). */

import type { JsonLibrary } from "../../protocol/json/json-library.js";
import type { JsonStyle } from "../../protocol/json/message-writer.js";
import type { NodeConfig } from "../config/config.js";
import { isFrom, type Release } from "../rules/release.js";

/** With what a release reads and writes JSON. */
export function libraryOf(release: Release): JsonLibrary {
	return isFrom(release, "4.8.2") ? "inserted" : "hashed";
}

/** The style of answers that show addresses and names in hexadecimal. */
export function plainStyle({ node }: NodeConfig): JsonStyle {
	return {
		visible: false,
		dialect: node.dialect,
		library: libraryOf(node.release),
		postQuantum: node.network === "nile",
	};
}
