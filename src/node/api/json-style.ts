/** How the servers of a release write JSON (protocol/releases §4). */

import type { JsonStyle } from "../../protocol/json/message-writer.js";
import type { NodeConfig } from "../config/config.js";
import { answersOf } from "./answers.js";

/** The style of answers that show addresses and names in hexadecimal. */
export function plainStyle({ node }: NodeConfig): JsonStyle {
	return {
		visible: false,
		dialect: node.dialect,
		library: answersOf(node).library,
		postQuantum: node.network === "nile",
	};
}
