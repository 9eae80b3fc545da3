/** Selects the library that verifies Groth16 proofs. */

import type { Groth16 } from "./groth16.js";

/** The compiled library, or the portable one without WebAssembly. */
export async function loadGroth16(): Promise<Groth16> {
	try {
		return await (await import("./groth16-compiled.js")).compiledGroth16();
	} catch {
		return (await import("./groth16-portable.js")).portableGroth16;
	}
}
