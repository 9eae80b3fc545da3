/**
 * Selects the library that recovers signatures: our native build of libsecp256k1 if there is one for this
 * platform, otherwise the WebAssembly build, finally the portable library. All agree on every well-formed
 * signature; anything unusual goes to the rule in protocol/signature.ts.
 */

import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { bundledScript } from "../../diagnostics/bundled-script.js";
import {
	type RecoverEngine,
	recoverEngineName,
	type SignEngine,
	setRecoverEngine,
	setSignEngine,
} from "../../protocol/signature.js";
import { openWasmEngine } from "./wasm-engine.js";

const require = createRequire(import.meta.url);

type Engine = RecoverEngine & { readonly sign: SignEngine };

/** Exports of crates/signature-recovery; each throws a TypeError for arguments of the wrong length. */
interface NativeModule {
	recoverSigners(questions: Uint8Array, prefix: number, answers: Uint8Array): void;
	/** Returns 1 or 0. @param room scratch space of the size given by checkRoom, for this thread alone */
	checkSigners(claims: Uint8Array, keys: Uint8Array, room: Uint8Array): number;
	checkRoom(): number;
	/** 1 and the uncompressed key in `publicKey` (65 bytes), or 0. */
	recover(hash: Uint8Array, compact: Uint8Array, recovery: number, publicKey: Uint8Array): number;
	isPoint(compressed: Uint8Array): number;
	/** r‖s into `compact` (64 bytes); the recovery id, or -1 for a key out of range. */
	sign(hash: Uint8Array, privateKey: Uint8Array, compact: Uint8Array): number;
}

/** Engines in the order of preference; `open` throws where the engine can't run. */
const ENGINES: readonly { readonly name: string; readonly open: () => Engine }[] = [
	{ name: "native", open: openNativeEngine },
	{ name: "wasm", open: () => openWasmEngine(compiledFile("recovery.wasm")) },
];

function openNativeEngine(): Engine {
	const native = require(compiledFile(`recovery.${process.platform}-${process.arch}.node`)) as NativeModule;
	let room: Uint8Array | undefined;
	return {
		checkSigners: (claims, keys) => {
			room ??= new Uint8Array(native.checkRoom());
			return native.checkSigners(claims, keys, room) === 1;
		},
		recover: (hash, signature, recovery) => {
			const publicKey = new Uint8Array(65);
			const found = native.recover(hash, signature.subarray(0, 64), recovery, publicKey);
			return found === 1 ? publicKey : undefined;
		},
		isPoint: (compressed) => native.isPoint(compressed) === 1,
		recoverSigners: (questions, prefix, answers) => native.recoverSigners(questions, prefix, answers),
		sign: (hash, privateKey) => {
			const signature = new Uint8Array(64);
			const recid = native.sign(hash, privateKey, signature);
			if (recid < 0) throw new RangeError("the private key is not a number from 1 to the order of the curve");
			return { signature, recid };
		},
	};
}

/** Path of a compiled file, whether or not it exists. */
function compiledFile(name: string): string {
	return fileURLToPath(bundledScript(`node/signatures/${name}`) ?? new URL(name, import.meta.url));
}

/**
 * Installs the fastest engine that runs here, for this thread.
 * @param only restricts the choice to one engine; for tests and measurements
 * @returns its name: `native`, `wasm` or `noble`
 */
export function installRecoverEngine(only?: string): string {
	for (const { name, open } of ENGINES) {
		if (only !== undefined && only !== name) continue;
		try {
			const { sign, ...engine } = open();
			setRecoverEngine(name, engine);
			setSignEngine(sign);
			return name;
		} catch (error) {
			if (only !== undefined) throw error;
		}
	}
	return recoverEngineName();
}
