import { OperatorError } from "../protocol/operator-error.js";

/** A configuration that cannot be used. One sentence that names the file, the place, the key and what is wrong. */
export class ConfigError extends OperatorError {
	override readonly name = "ConfigError";
}
