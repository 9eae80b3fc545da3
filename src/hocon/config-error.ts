import { OperatorError } from "../protocol/operator-error.js";

/** A configuration that cannot be used. One sentence that names the file, the place, the key and what is wrong. */
export class ConfigError extends OperatorError {
	override readonly name = "ConfigError";

	/** @param missingKey full path of a required key that isn't there, where that is what is wrong */
	constructor(
		message: string,
		readonly missingKey?: string,
	) {
		super(message);
	}
}
