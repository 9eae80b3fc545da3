import { OperatorError } from "../../protocol/operator-error.js";

/** Why a reference node's data isn't adopted: one sentence that names the file, the store or the property. */
export class AdoptionError extends OperatorError {
	override readonly name = "AdoptionError";
}
