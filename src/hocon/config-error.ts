import { OperatorError } from "../protocol/operator-error.js";

/** A configuration that cannot be used. One message that names the file, the place, the key and what is wrong. */
export class ConfigError extends OperatorError {
	override readonly name = "ConfigError";

	/** @param missing the full path of a required key, or the file, where its absence is what is wrong */
	constructor(
		message: string,
		readonly missing: { readonly key?: string; readonly file?: string } = {},
	) {
		super(message);
	}
}
