import { OperatorError } from "../protocol/operator-error.js";

/** A configuration that cannot be used. One message that names the file, the place, the key and what is wrong. */
export class ConfigError extends OperatorError {
	override readonly name = "ConfigError";

	/**
	 * @param missing the full path of a required key, or the file, where its absence is what is wrong
	 * @param path the full path of the value that is refused; without it nothing is known of the rest of the file
	 */
	constructor(
		message: string,
		readonly missing: { readonly key?: string; readonly file?: string } = {},
		readonly path?: string,
	) {
		super(message);
	}
}
