/**
 * Why a node can't start or go on, as a sentence for the person who runs it: a wrong configuration, a damaged directory, a
 * port in use. Everything else that is thrown is a fault of the program.
 */
export class OperatorError extends Error {
	override readonly name: string = "OperatorError";
}
