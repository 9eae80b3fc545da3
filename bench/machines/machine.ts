/** What a contract machine must do to be measured. Every call changes the machine's state for the next one. */

export interface BenchMachine {
	readonly name: string;
	/** The same address for the same code: what is measured is the call. */
	install(code: Uint8Array): Promise<Uint8Array>;
	/** Runs creation code. @returns the contract's address, 20 bytes */
	deploy(creationCode: Uint8Array): Promise<Uint8Array>;
	/** Calls a contract. @returns its output. @throws if it fails or reverts */
	call(contract: Uint8Array, data: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** Who calls, 20 bytes. */
export const SENDER = new Uint8Array(20).fill(0x22);
