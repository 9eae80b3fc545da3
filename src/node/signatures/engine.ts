/**
 * Which library recovers signatures: the compiled one where its prebuilt binary fits, its WebAssembly build elsewhere,
 * the portable one at last. All three agree on every well-formed signature; anything out of the ordinary goes to the
 * rule in protocol/signature.ts.
 */

import { createRequire } from "node:module";
import {
	type RecoverEngine,
	recoverEngineName,
	setRecoverEngine,
	setSignEngine,
} from "../../protocol/signature.js";

const require = createRequire(import.meta.url);

interface NativeModule {
	ecdsaRecover(signature: Uint8Array, recovery: number, hash: Uint8Array, compressed: boolean): Uint8Array;
	publicKeyVerify(publicKey: Uint8Array): boolean;
	ecdsaSign(
		hash: Uint8Array,
		privateKey: Uint8Array,
	): { readonly signature: Uint8Array; readonly recid: number };
}

interface WasmModule {
	recover(hash: Uint8Array, signature: Uint8Array, recovery: number, compressed: boolean): Uint8Array | null;
	isPoint(publicKey: Uint8Array): boolean;
}

/** Engines in the order of preference; `load` throws where the engine can't run. */
const ENGINES: readonly { readonly name: string; readonly load: () => Promise<RecoverEngine> }[] = [
	{
		name: "native",
		load: async () => {
			// The package's main file falls back to a slow script without saying so; its binding does not.
			const native = require("secp256k1/bindings") as NativeModule;
			// A chain that seals a thousand blocks a second signs as often.
			setSignEngine((hash, privateKey) => native.ecdsaSign(hash, privateKey));
			return {
				recover: (hash, signature, recovery) =>
					orUndefined(() => native.ecdsaRecover(signature.subarray(0, 64), recovery, hash, false)),
				isPoint: (compressed) => native.publicKeyVerify(compressed),
			};
		},
	},
	{
		name: "wasm",
		load: async () => {
			const wasm = (await import("tiny-secp256k1")) as unknown as WasmModule;
			return {
				recover: (hash, signature, recovery) =>
					orUndefined(() => wasm.recover(hash, signature.subarray(0, 64), recovery as 0 | 1 | 2 | 3, false)),
				isPoint: (compressed) => wasm.isPoint(compressed),
			};
		},
	},
];

/** The libraries report malformed input by throwing; the full rule then decides what is wrong with it. */
function orUndefined(recover: () => Uint8Array | null): Uint8Array | undefined {
	const limit = Error.stackTraceLimit;
	Error.stackTraceLimit = 0;
	try {
		return recover() ?? undefined;
	} catch {
		return undefined;
	} finally {
		Error.stackTraceLimit = limit;
	}
}

/**
 * Installs the fastest engine that runs here, for this thread.
 * @param only restricts the choice to one engine; for tests and measurements
 * @returns its name: `native`, `wasm` or `noble`
 */
export async function installRecoverEngine(only?: string): Promise<string> {
	for (const { name, load } of ENGINES) {
		if (only !== undefined && only !== name) continue;
		try {
			setRecoverEngine(name, await load());
			return name;
		} catch (error) {
			if (only !== undefined) throw error;
		}
	}
	return recoverEngineName();
}
