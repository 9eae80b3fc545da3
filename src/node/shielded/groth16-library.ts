/** Which library checks Groth16 proofs. */
import type { Groth16 } from "./groth16.js";

/** The compiled library, or the portable one where WebAssembly can't run. */
export async function loadGroth16(): Promise<Groth16> {
	try {
		return await (await import("./groth16-compiled.js")).compiledGroth16();
	} catch {
		return (await import("./groth16-portable.js")).portableGroth16;
	}
}
