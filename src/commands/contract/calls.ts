/** `coin contract call`, `estimate` and `send`. */

import { Flags } from "@oclif/core";
import { isComplete } from "../../abi/parameter.js";
import { addressFromHash } from "../../protocol/address.js";
import { equalBytes, toHex } from "../../protocol/bytes.js";
import { query } from "../../terminal/base/command-row.js";
import {
	callArguments,
	callFlags,
	callWords,
	namedCall,
	valuesOf,
} from "../../terminal/contract/contract-input.js";
import {
	decimalsFlags,
	feeLimitFlags,
	requestedFeeLimit,
	statedDecimals,
} from "../../terminal/flags/acting-flags.js";
import { blockFlag, keystoreFlags, nodeFlags, solidityFlag } from "../../terminal/flags/flags.js";
import { printJson } from "../../terminal/output/output.js";
import { acting } from "../../terminal/sending/rows.js";
import { callPlan, paidInVain } from "../../wallet/actions/contract-plan.js";
import { Failure } from "../../wallet/failure.js";
import { fetchChainParameters } from "../../wallet/node/chain-parameters.js";
import { callConstant, estimatorEnergy, NOBODY } from "../../wallet/node/constant-call.js";
import { NamedAmounts } from "../../wallet/token/named-amount.js";
import { accountNamed, accountOrActive } from "../../wallet/transaction/signing.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { explainRevert, namedView, outputView } from "../../wallet/view/contract-outcome.js";
import { fetchContract } from "../../wallet/view/contract-record.js";

export const ContractCallCommand = query({
	summary: "Ask a contract: run a function without effect, print its result",
	aliases: ["call"],
	description:
		"The function is a signature, such as balanceOf(address) or get() returns (uint256), or a bare name of the " +
		"contract's interface. Arguments follow in order, or all of them as name=value.",
	usage: "contract call <address> <function> [<argument>...]",
	examples: [
		"<%= config.bin %> contract call store 'value() returns (uint256)'",
		"<%= config.bin %> call store div a=7 b=2",
	],
	strict: false,
	args: callArguments,
	flags: {
		...nodeFlags,
		...blockFlag,
		...solidityFlag,
		...keystoreFlags,
		...callFlags,
		from: Flags.string({
			description: "account that calls (default: the zero address)",
			helpValue: "<account>",
		}),
		raw: Flags.boolean({ description: "print the returned bytes" }),
	},
	run: async ({ args, argv, flags, settings, client, view: asked, json, print, note }) => {
		const amounts = new NamedAmounts(client, false);
		const call = await namedCall(callWords(args, argv, flags), settings, client, amounts);
		const owner =
			flags.from === undefined
				? addressFromHash(new Uint8Array(20))
				: await accountNamed(settings, flags.from);
		const request = { owner, contract: call.contract, data: call.data, ...(await valuesOf(flags, amounts)) };
		let output: Uint8Array;
		try {
			({ data: output } = await callConstant(client, request, asked));
		} catch (error) {
			const failure = paidInVain(await explainRevert(error, call.items, settings), call.item, request);
			const asNobody =
				flags.from === undefined && failure instanceof Failure && failure.code === "contract_revert";
			throw asNobody ? failure.with({ hint: failure.facts.hint ?? NOBODY }) : failure;
		}
		if (!flags.raw && call.item?.outputs && !isComplete(call.item.outputs)) {
			note(
				"the interface doesn't say what the tuples of the result hold: --abi with the compiler's interface does",
			);
		}
		const view = flags.raw ? `0x${toHex(output)}` : await outputView(call.item, output);
		// A function without results prints nothing for people.
		if (Array.isArray(view) && view.length === 0 && !json) return;
		// Under --json, scripts have several results in order whatever the interface calls them.
		if (typeof view === "object") printJson(json ? view : namedView(call.item, view));
		else print.scalar(view);
	},
});

export const ContractEstimate = query({
	summary: "What a call of a contract would cost now",
	description:
		"energy is what a run without effect used; energyByEstimator a limit that is enough, which the " +
		"node works out to 1coin's worth where it does; feeSun its price without any staked energy; callerShare the percentage that the caller pays.",
	usage: "contract estimate <address> <function> [<argument>...]",
	examples: ["<%= config.bin %> contract estimate store 'set(uint256,string)' 7 hello"],
	strict: false,
	args: callArguments,
	flags: {
		...nodeFlags,
		...blockFlag,
		...keystoreFlags,
		...callFlags,
		from: Flags.string({
			description: "account that calls (default: the active wallet)",
			helpValue: "<account>",
			env: "COIN_FROM",
		}),
	},
	run: async ({ args, argv, flags, settings, client, print }) => {
		const words = callWords(args, argv, flags);
		const amounts = new NamedAmounts(client, false);
		const { contract, data, item, items } = await namedCall(words, settings, client, amounts);
		const owner = await accountOrActive(settings, flags.from);
		const call = { owner, contract, data, ...(await valuesOf(flags, amounts)) };
		try {
			const { energy } = await callConstant(client, call);
			const [energyByEstimator, parameters, record] = await Promise.all([
				estimatorEnergy(client, call),
				fetchChainParameters(client),
				fetchContract(client, contract),
			]);
			const feeSun = energy * (parameters.get("getEnergyFee") ?? 0n);
			const percent = record.smart_contract?.consume_user_resource_percent ?? 100n;
			const isOwn = record.smart_contract && equalBytes(record.smart_contract.origin_address, owner);
			const result = { energy, energyByEstimator, feeSun, callerShare: isOwn ? 100 : Number(percent) };
			print.record(result, {
				"energy used": energy,
				...(energyByEstimator === undefined ? {} : { "enough as limit": energyByEstimator }),
				fee: `${formatCoin(feeSun)} without staked energy`,
				"caller pays": `${result.callerShare} %`,
			});
		} catch (error) {
			throw paidInVain(await explainRevert(error, items, settings), item, call);
		}
	},
});

/** Shown where arguments were given by name: a node that exchanges two names exchanges what they stand for. */
const NODES_NAMES_LINE =
	"  warning     the names of the arguments are what the node says; check their order, or give the interface with --abi";

export const ContractSend = acting({
	summary: "Call a function of a contract in a transaction",
	description:
		"The function is a signature, such as transfer(address,uint256), or a bare name of the contract's interface. " +
		"Arguments follow in order, or all of them as name=value; numbers may be amounts: 5coin in sun, 5@gold in the smallest units of a token. " +
		"A call that would be refused is not sent.",
	usage: "contract send <address> <function> [<argument>...]",
	examples: [
		"<%= config.bin %> contract send store 'set(uint256,string)' 7 hello --wait",
		"<%= config.bin %> contract send store set next=7 note=hello --fee-limit 30coin",
	],
	strict: false,
	args: callArguments,
	flags: { ...feeLimitFlags, ...decimalsFlags, ...callFlags },
	plan: async ({ args, argv, flags, actor }) => {
		const context = await actor();
		const words = callWords(args, argv, flags);
		const { settings, client } = context;
		const amounts = new NamedAmounts(client, flags.offline, statedDecimals(flags));
		const values = await valuesOf(flags, amounts);
		const call = await namedCall(words, settings, flags.offline ? undefined : client, amounts);
		const options = { offline: flags.offline, ...values, ...requestedFeeLimit(flags) };
		const plan = await callPlan(context, call, options);
		const { nodesWord } = amounts;
		const details = [...amounts.details, ...(call.byNodesNames ? [NODES_NAMES_LINE] : [])];
		const result = flags["dry-run"] ? { feeLimit: plan.feeLimitSun } : {};
		return { ...plan, nodesWord, takesDecimals: true, details, result };
	},
});
