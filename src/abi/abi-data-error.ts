/** Bytes that don't fit the types they are read by. */
export class AbiDataError extends Error {
	override readonly name = "AbiDataError";
}
