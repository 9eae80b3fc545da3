/** Validation errors of shielded keys, notes and proofs. */

/** A parameter has the wrong length, or can't be proved; the message is the network's. */
export class ShieldedError extends Error {
	override readonly name: string = "ZksnarkException";
}

/** @throws {ShieldedError} if the length differs */
export function checkLength(bytes: Uint8Array, length: number): void {
	if (bytes.length === 0) throw new ShieldedError("param is null");
	if (bytes.length !== length) throw new ShieldedError(`param length must be ${length}`);
}

/** @throws {ShieldedError} */
export function checkValue(value: bigint): void {
	if (value < 0n) throw new ShieldedError("Value should be non-negative.");
}

/** @throws {ShieldedError} */
export function checkPosition(position: bigint): void {
	if (position < 0n) throw new ShieldedError("Position should be non-negative.");
}
