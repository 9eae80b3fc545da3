/**
 * Which library recovers signatures: our build of libsecp256k1 where there is one for this machine, the older one of a
 * package elsewhere, its WebAssembly build after that, the portable one at last. All agree on every well-formed
 * signature; anything out of the ordinary goes to the rule in protocol/signature.ts.
 */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import {
	type RecoverEngine,
	recoverEngineName,
	setRecoverEngine,
	setSignEngine,
} from "../../protocol/signature.js";

const require = createRequire(import.meta.url);

/** Exports of crates/signature-recovery; each throws a TypeError for arguments of another length. */
interface PrebuiltModule {
	/** Questions and answers as in batch.ts. */
	recoverSigners(questions: Uint8Array, prefix: number, answers: Uint8Array): void;
	/** 1 and the uncompressed key in `publicKey` (65 bytes), or 0. */
	recover(hash: Uint8Array, compact: Uint8Array, recovery: number, publicKey: Uint8Array): number;
	isPoint(compressed: Uint8Array): number;
	/** r‖s into `compact` (64 bytes); the recovery id, or -1 for a key out of range. */
	sign(hash: Uint8Array, privateKey: Uint8Array, compact: Uint8Array): number;
}

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
		name: "prebuilt",
		load: async () => {
			const prebuilt = require(prebuiltFile()) as PrebuiltModule;
			setSignEngine((hash, privateKey) => {
				const signature = new Uint8Array(64);
				const recid = prebuilt.sign(hash, privateKey, signature);
				if (recid < 0)
					throw new RangeError("the private key is not a number from 1 to the order of the curve");
				return { signature, recid };
			});
			return {
				recover: (hash, signature, recovery) => {
					const publicKey = new Uint8Array(65);
					const found = prebuilt.recover(hash, signature.subarray(0, 64), recovery, publicKey);
					return found === 1 ? publicKey : undefined;
				},
				isPoint: (compressed) => prebuilt.isPoint(compressed) === 1,
				recoverSigners: (questions, prefix, answers) => prebuilt.recoverSigners(questions, prefix, answers),
			};
		},
	},
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

/** Where our build for this machine would be; loading it fails where there is none. */
function prebuiltFile(): string {
	const name = `recovery.${process.platform}-${process.arch}.node`;
	const bundled = bundledScript(`node/signatures/${name}`);
	return fileURLToPath(bundled ?? new URL(name, import.meta.url));
}

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
 * @returns its name: `prebuilt`, `native`, `wasm` or `noble`
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
