import { Args, Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { contractAt } from "../../wallet/view/contract-record.js";

export default class ContractCode extends QueryCommand {
	static override summary = "Print the code of a contract";
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
	};
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		creation: Flags.boolean({ description: "the code that was deployed, with the constructor's arguments" }),
		size: Flags.boolean({ description: "print its size in bytes" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractCode);
		const settings = await this.settings(flags);
		const { runtimecode, smart_contract: contract } = await contractAt(
			await this.stateClient(settings, flags.block),
			await accountNamed(settings, args.address),
		);
		const code = flags.creation ? (contract?.bytecode ?? new Uint8Array(0)) : runtimecode;
		this.printScalar(flags.size ? code.length : `0x${toHex(code)}`);
	}
}
