/**
 * Which library calculates on the curve alt_bn128: the compiled one (WebAssembly) once it is loaded, the portable one
 * until then and where it can't run. Nothing is loaded before a contract asks for the curve: most nodes that start never
 * do, and loading takes 70 ms and 15 MB.
 */

import { portableCurve } from "./curve-portable.js";

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

export const FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;

let present: Curve = portableCurve;
let loading: Promise<Curve> | undefined;

/** The best curve there is now; the first question starts to load a better one. */
export function curve(): Curve {
	if (!loading) void loadCurve();
	return present;
}

/** Loads the compiled library if it can run here. @returns the curve in use from now on */
export function loadCurve(): Promise<Curve> {
	loading ??= import("./curve-compiled.js")
		.then(({ compiledCurve }) => compiledCurve())
		.then(
			(compiled) => {
				present = compiled;
				return present;
			},
			// Where WebAssembly can't run the portable library goes on.
			() => present,
		);
	return loading;
}
