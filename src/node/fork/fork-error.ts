/** What keeps a fork from going on with another node's state. */

import { NamedError } from "../../protocol/json/exceptions.js";
import { OperatorError } from "../../protocol/operator-error.js";

/** A fork can't begin, or not be gone on with; one sentence for whoever started it. */
export class ForkError extends OperatorError {
	override readonly name = "ForkError";
}

/**
 * An entry that a request needs can't be had: the request fails, and nothing of it is kept. One sentence for the client,
 * without credentials.
 */
export class ForkReadError extends NamedError {
	constructor(message: string) {
		super("IllegalStateException", message);
	}
}
