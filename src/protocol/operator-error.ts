/**
 * An error for the operator, explaining in one sentence why a node can't start or continue: invalid
 * configuration, damaged directory, port in use. Any other error is a bug.
 */
export class OperatorError extends Error {
	override readonly name: string = "OperatorError";
}
