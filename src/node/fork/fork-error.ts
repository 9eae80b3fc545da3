/** What keeps a fork from going on with another node's state. */

import { OperatorError } from "../../protocol/operator-error.js";

/** A fork can't begin, or not be gone on with; one sentence for whoever started it. */
export class ForkError extends OperatorError {
	override readonly name: string = "ForkError";
}

/**
 * An entry can't be had: the request that needs it fails, and nothing of it is kept. One sentence without credentials, for
 * clients too.
 */
export class ForkReadError extends ForkError {
	override readonly name = "ForkReadError";
	/** What clients read. */
	readonly className = "IllegalStateException";
}
