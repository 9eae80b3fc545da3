import { Flags } from "@oclif/core";
import { encodeValues } from "../../abi/coder.js";
import { contractAddress, toBase58Check } from "../../protocol/address.js";
import { concatBytes } from "../../protocol/bytes.js";
import { CreateSmartContract, SmartContract } from "../../protocol/messages.js";
import { ActingCommand } from "../../terminal/base/acting-command.js";
import { valueFlags, valuesOf } from "../../terminal/contract/contract-input.js";
import { deployable, deploymentFlags } from "../../terminal/contract/deployment-input.js";
import { actingFlags, feeLimitFlags, feeLimitWish } from "../../terminal/flags/acting-flags.js";
import { readArguments } from "../../wallet/abi/argument.js";
import { constructorOf, interfaceOf } from "../../wallet/abi/interface.js";
import { storedAbi } from "../../wallet/abi/stored.js";
import { keepInterface } from "../../wallet/configuration/own-interfaces.js";
import { Failure } from "../../wallet/failure.js";
import { contractOf } from "../../wallet/transaction/contract.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { type FeeLimit, feeLimitOf } from "../../wallet/values/fee-limit.js";
import { parseCount, parsePercent } from "../../wallet/values/integer-text.js";
import { explainRevert, receiptView } from "../../wallet/view/contract-outcome.js";

export default class ContractDeploy extends ActingCommand {
	static override summary = "Deploy a contract";
	static override description =
		"Takes a compiler's or toolchain's file, or code and interface by themselves; the constructor's arguments follow. " +
		"The contract's address is known, and printed, before the transaction is sent.";
	static override usage = "contract deploy (--artifact <path> | --bin <code>) [<argument>...]";
	static override examples = [
		"<%= config.bin %> contract deploy --artifact build/Store.json 42 --wait",
		"<%= config.bin %> contract deploy --bin @Store.bin --abi @Store.abi 42 --percent 50",
	];
	static override strict = false;
	static override flags = {
		...actingFlags,
		...feeLimitFlags,
		...valueFlags,
		...deploymentFlags,
		percent: Flags.string({
			description: "percentage of energy that callers pay",
			default: "100",
			helpGroup: "CONTRACT",
		}),
		"origin-energy-limit": Flags.string({
			description: "energy that you pay for one call at most",
			default: "10000000",
			helpGroup: "CONTRACT",
		}),
	};

	async run(): Promise<void> {
		const { argv, flags } = await this.parse(ContractDeploy);
		const percent = BigInt(parsePercent(flags.percent));
		const energyLimit = parseCount(flags["origin-energy-limit"]);
		const values = valuesOf(flags);
		const { code, abi, name } = await deployable(flags);
		const items = interfaceOf(abi);
		const texts = argv as string[];
		if (texts.length > 0 && items.length === 0) {
			throw new Failure("usage", "the arguments have no types: give the interface with --abi or --artifact");
		}
		const context = await this.context(flags);
		const { owner, settings, client } = context;
		const { inputs } = constructorOf(items);
		const parsed = await readArguments(inputs, texts, (text) => accountNamed(settings, text));
		const bytecode = concatBytes(code, await encodeValues(inputs, parsed));
		let limit: FeeLimit;
		try {
			const asked = flags.offline
				? undefined
				: { owner, contract: new Uint8Array(0), data: bytecode, ...values };
			limit = await feeLimitOf(feeLimitWish(flags), client, asked);
		} catch (error) {
			throw await explainRevert(error, items);
		}
		await this.act(context, flags, {
			...contractOf(CreateSmartContract, {
				owner_address: owner,
				call_token_value: values.tokenValue ?? 0n,
				token_id: values.tokenId ?? 0n,
				new_contract: SmartContract.create({
					origin_address: owner,
					abi: storedAbi(abi),
					bytecode,
					call_value: values.valueSun ?? 0n,
					consume_user_resource_percent: percent,
					name,
					origin_energy_limit: energyLimit,
				}),
			}),
			...limit,
			result: flags["dry-run"] ? { feeLimit: limit.feeLimitSun } : {},
			afterSending: async ({ transaction }) => {
				// The record loses what tuples hold.
				if (items.length > 0) await keepInterface(settings, contractAddress(transaction.id, owner), abi);
			},
			resultOf: ({ transaction }) => ({
				contractAddress: toBase58Check(contractAddress(transaction.id, owner)),
			}),
			readReceipt: async (receipt) => {
				const { reason, logs } = (await receiptView(receipt, undefined, items)) as {
					reason?: string;
					logs?: readonly object[];
				};
				return { ...(reason === undefined ? {} : { reason }), ...(logs ? { logs } : {}) };
			},
		});
	}
}
