/** A contract machine to measure. Each call keeps its state changes for the next one. */

export interface BenchMachine {
	readonly name: string;
	/** Stores code at an address derived from it, without running anything. */
	install(code: Uint8Array): Promise<Uint8Array>;
	/** Runs creation code. @returns the contract's address, 20 bytes */
	deploy(creationCode: Uint8Array): Promise<Uint8Array>;
	/** Calls a contract. @returns its output. @throws if it fails or reverts */
	call(contract: Uint8Array, data: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The caller, 20 bytes. */
export const SENDER = new Uint8Array(20).fill(0x22);
