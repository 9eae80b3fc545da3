import { Args, Flags } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import { QueryCommand } from "../../terminal/base/query-command.js";
import { blockFlag, keystoreFlags, nodeFlags } from "../../terminal/flags/flags.js";
import { orNull, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { contractAt } from "../../wallet/view/contract-record.js";
import { proxyOf } from "../../wallet/view/proxy.js";

export default class ContractShow extends QueryCommand {
	static override summary = "Show a contract: owner, settings, size, use of energy";
	static override args = {
		address: Args.string({ description: "the contract", required: true, ignoreStdin: true }),
	};
	static override result = orNull(
		record({
			address: "address",
			"name?": "text",
			"owner?": "address",
			callerPercent: "integer",
			"originEnergyLimit?": "int64",
			"codeHash?": "hex",
			codeSize: "integer",
			"version?": "integer",
			entries: "integer",
			"energyUsage?": "int64",
			"energyFactor?": "int64",
			"proxy?": "text",
			"implementation?": "address",
			"beacon?": "address",
			"admin?": "address",
		}),
	);
	static override flags = {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		"or-null": Flags.boolean({ description: "print null if there is no contract" }),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(ContractShow);
		const settings = await this.settings(flags);
		const address = await accountNamed(settings, args.address);
		try {
			const client = await this.stateClient(settings, flags.block);
			const {
				smart_contract: contract,
				runtimecode,
				contract_state: state,
			} = await contractAt(client, address);
			const proxy = await proxyOf(client, address, runtimecode);
			this.printRecord({
				address: toBase58Check(address),
				name: contract?.name || undefined,
				owner: contract && toBase58Check(contract.origin_address),
				callerPercent: Number(contract?.consume_user_resource_percent ?? 0n),
				originEnergyLimit: contract?.origin_energy_limit,
				codeHash: contract && contract.code_hash.length > 0 ? toHex(contract.code_hash) : undefined,
				codeSize: runtimecode.length,
				version: contract?.version,
				entries: contract?.abi?.entrys.length ?? 0,
				energyUsage: state?.energy_usage,
				energyFactor: state?.energy_factor,
				proxy: proxy?.kind,
				implementation: proxy && toBase58Check(proxy.implementation),
				beacon: proxy?.beacon && toBase58Check(proxy.beacon),
				admin: proxy?.admin && toBase58Check(proxy.admin),
			});
		} catch (error) {
			if (!flags["or-null"] || !(error instanceof Failure) || error.code !== "not_found") throw error;
			this.printScalar(null);
		}
	}
}
