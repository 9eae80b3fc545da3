import { OperatorError } from "../../../protocol/operator-error.js";

/** Why a store of a reference node isn't read: names the file, what is wrong and where. */
export class ForeignStoreError extends OperatorError {
	override readonly name: string = "ForeignStoreError";

	constructor(
		/** The file that is damaged or missing, or the directory of the store. */
		readonly path: string,
		/** What is wrong with it, to be read after its path. */
		readonly fault: string,
	) {
		super(`${path}: ${fault}`);
	}
}
