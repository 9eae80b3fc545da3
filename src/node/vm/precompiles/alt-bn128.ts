/** What contracts may ask of the curve alt_bn128. */

/** A product of pairings, one pair after the other. */
export interface PairingProduct {
	/** Multiplies by the pairing of 192 bytes; false if they aren't a point of each group. */
	multiply(pair: Uint8Array): boolean;
	isOne(): boolean;
}

/**
 * The curve in the encoding of EIP-196 and EIP-197. A coordinate that isn't below the field's order, or a point that
 * isn't on its curve or, for the second group, not in its subgroup, gives undefined.
 */
export interface Curve {
	readonly name: string;
	/** The sum of two points. @param input 128 bytes */
	add(input: Uint8Array): Uint8Array | undefined;
	/** A multiple of a point; the scalar may be any word. @param input 96 bytes */
	multiply(input: Uint8Array): Uint8Array | undefined;
	pairings(): PairingProduct;
}

export const BN128_FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
