import { OperatorError } from "../../protocol/operator-error.js";

/** Why a reference node's data can't be adopted: one sentence naming the file, store or property. */
export class AdoptionError extends OperatorError {
	override readonly name = "AdoptionError";
}
