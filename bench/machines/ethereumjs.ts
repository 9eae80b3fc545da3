/** @ethereumjs/evm on its own in-memory state, with the same compiled Keccak as ours. */

import { Common, Hardfork, Mainnet } from "@ethereumjs/common";
import { createEVM } from "@ethereumjs/evm";
import { SimpleStateManager } from "@ethereumjs/statemanager";
import { Address, createAccount } from "@ethereumjs/util";
import { keccak256 } from "../../src/protocol/hash.js";
import { type BenchMachine, SENDER } from "./machine.js";

const GAS = 2n ** 53n - 1n;

export async function ethereumjsMachine(): Promise<BenchMachine> {
	const common = new Common({
		chain: Mainnet,
		hardfork: Hardfork.Cancun,
		customCrypto: { keccak256: (data) => Uint8Array.from(keccak256(data)) },
	});
	const state = new SimpleStateManager({ common });
	const evm = await createEVM({ common, stateManager: state, allowUnlimitedContractSize: true });
	const caller = new Address(SENDER);
	await state.putAccount(caller, createAccount({ balance: 10n ** 18n }));
	let installed = 0;

	const run = async (to: Address | undefined, data: Uint8Array) => {
		const result = await evm.runCall({
			caller,
			origin: caller,
			data,
			gasLimit: GAS,
			gasPrice: 0n,
			skipBalance: true,
			...(to ? { to } : {}),
		});
		// As at the end of a transaction: clears warm addresses and transient storage.
		await evm.journal.cleanup();
		const { exceptionError } = result.execResult;
		if (exceptionError) throw new Error(exceptionError.error);
		return result;
	};

	return {
		name: "@ethereumjs/evm",
		async install(code) {
			const bytes = keccak256(Buffer.concat([Buffer.of(++installed), code])).slice(12);
			const address = new Address(Uint8Array.from(bytes));
			await state.putAccount(address, createAccount({}));
			await state.putCode(address, Uint8Array.from(code));
			return address.bytes;
		},
		async deploy(creationCode) {
			const { createdAddress } = await run(undefined, Uint8Array.from(creationCode));
			if (!createdAddress) throw new Error("nothing was created");
			return createdAddress.bytes;
		},
		async call(contract, data) {
			return (await run(new Address(contract), data)).execResult.returnValue;
		},
	};
}
