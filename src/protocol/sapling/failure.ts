/** What shielded keys, notes and proofs refuse. */

/** A parameter has another length than it must have, or no proof can be made; the network's text. */
export class ShieldedError extends Error {
	override readonly name: string = "ZksnarkException";
}

/** @throws {ShieldedError} unless the bytes have the length */
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
