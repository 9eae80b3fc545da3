/** Operations of the curve alt_bn128 that contracts can use. */

/** A product of pairings, accumulated one pair at a time. */
export interface PairingProduct {
	/** Multiplies by the pairing of a 192-byte pair; false if it isn't a valid point of each group. */
	multiply(pair: Uint8Array): boolean;
	isOne(): boolean;
}

/**
 * The curve in the encoding of EIP-196 and EIP-197. Operations return undefined if a coordinate isn't below
 * the field's order, or a point isn't on its curve or, in the second group, not in its subgroup.
 */
export interface Curve {
	readonly name: string;
	/** Adds two points. @param input 128 bytes */
	add(input: Uint8Array): Uint8Array | undefined;
	/** Multiplies a point by a scalar, which may be any word. @param input 96 bytes */
	multiply(input: Uint8Array): Uint8Array | undefined;
	pairings(): PairingProduct;
}

export const BN128_FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
