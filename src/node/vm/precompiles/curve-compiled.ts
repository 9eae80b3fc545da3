/** The curve alt_bn128 in a library compiled to WebAssembly. */

import type * as Library from "mcl-wasm";
import { fromHex } from "../../../protocol/bytes.js";
import { BN128_FIELD_ORDER, type Curve, type PairingProduct } from "./alt-bn128.js";

type Mcl = typeof Library;

const COORDINATE = 32;
const POINT = 2 * COORDINATE;

const ORDER_BYTES = fromHex(BN128_FIELD_ORDER.toString(16).padStart(64, "0"));

/** @throws where the library can't run */
export async function compiledCurve(): Promise<Curve> {
	const loaded = (await import("mcl-wasm")) as Mcl & { readonly default?: Mcl };
	const mcl = loaded.default ?? loaded;
	await mcl.init(mcl.BN_SNARK1);
	// Group order is checked explicitly where it matters.
	mcl.verifyOrderG1(false);
	mcl.verifyOrderG2(false);
	return new CompiledCurve(mcl);
}

const isZero = (bytes: Uint8Array): boolean => {
	for (const byte of bytes) if (byte !== 0) return false;
	return true;
};

const reversed = (bytes: Uint8Array): Uint8Array => Uint8Array.from(bytes).reverse();

class CompiledCurve implements Curve {
	readonly name = "compiled";
	private readonly one: Library.Fp;
	private readonly one2: Library.Fp2;

	constructor(private readonly mcl: Mcl) {
		this.one = new mcl.Fp();
		this.one.setInt(1);
		this.one2 = new mcl.Fp2();
		this.one2.setInt(1, 0);
	}

	add(input: Uint8Array): Uint8Array | undefined {
		const a = this.readG1(input, 0);
		const b = a && this.readG1(input, POINT);
		return a && b && writeG1(this.mcl.add(a, b));
	}

	multiply(input: Uint8Array): Uint8Array | undefined {
		const point = this.readG1(input, 0);
		if (!point) return undefined;
		const scalar = new this.mcl.Fr();
		scalar.setBigEndianMod(Uint8Array.from(input.subarray(POINT, POINT + COORDINATE)));
		return writeG1(this.mcl.mul(point, scalar));
	}

	pairings(): PairingProduct {
		const { mcl } = this;
		let product = new mcl.GT();
		product.setInt(1);
		return {
			multiply: (pair) => {
				const g1 = this.readG1(pair, 0);
				const g2 = g1 && this.readG2(pair, POINT);
				if (!g1 || !g2) return false;
				// The pairing with a point at infinity is one.
				if (!g1.isZero() && !g2.isZero()) product = mcl.mul(product, mcl.millerLoop(g1, g2));
				return true;
			},
			isOne: () => mcl.finalExp(product).isOne(),
		};
	}

	/** Reads a field element; undefined if it isn't below the field's order. */
	private readElement(input: Uint8Array, offset: number): Library.Fp | undefined {
		const bytes = input.subarray(offset, offset + COORDINATE);
		if (Buffer.compare(bytes, ORDER_BYTES) >= 0) return undefined;
		const element = new this.mcl.Fp();
		element.deserialize(reversed(bytes));
		return element;
	}

	/** Reads an element of the extension field, imaginary part first. */
	private readPair(input: Uint8Array, offset: number): Library.Fp2 | undefined {
		const imaginary = this.readElement(input, offset);
		const real = this.readElement(input, offset + COORDINATE);
		if (!imaginary || !real) return undefined;
		const element = new this.mcl.Fp2();
		element.set_a(real);
		element.set_b(imaginary);
		return element;
	}

	private readG1(input: Uint8Array, offset: number): Library.G1 | undefined {
		const point = new this.mcl.G1();
		if (isZero(input.subarray(offset, offset + POINT))) return point;
		const x = this.readElement(input, offset);
		const y = this.readElement(input, offset + COORDINATE);
		if (!x || !y) return undefined;
		point.setX(x);
		point.setY(y);
		point.setZ(this.one);
		return point.isValid() ? point : undefined;
	}

	private readG2(input: Uint8Array, offset: number): Library.G2 | undefined {
		const point = new this.mcl.G2();
		if (isZero(input.subarray(offset, offset + 2 * POINT))) return point;
		const x = this.readPair(input, offset);
		const y = this.readPair(input, offset + POINT);
		if (!x || !y) return undefined;
		point.setX(x);
		point.setY(y);
		point.setZ(this.one2);
		return point.isValid() && point.isValidOrder() ? point : undefined;
	}
}

function writeG1(point: Library.G1): Uint8Array {
	const bytes = new Uint8Array(POINT);
	if (point.isZero()) return bytes;
	point.normalize();
	bytes.set(point.getX().serialize().reverse());
	bytes.set(point.getY().serialize().reverse(), COORDINATE);
	return bytes;
}
