/** Advice on the network's errors, which name a rule but rarely a solution. */

import { isAddress, toBase58Check } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import { SUN_PER_COIN } from "../../protocol/int64.js";
import type { Failure } from "../failure.js";
import { withoutClass } from "../node/node-messages.js";
import { formatCoin } from "../values/amount.js";

/** What is known about the acting account. */
interface Refused {
	/** Sun. */
	readonly balance: bigint;
}

/** Default energy limit of nodes for constant calls (`vm.maxEnergyLimitForConstant`). */
const MAX_CALL_ENERGY = 100_000_000n;

type Advice = (match: RegExpExecArray, account: Refused | undefined) => string | undefined;

/** Messages of the network in neutral spelling, each with the next step to take. */
const ADVICE: readonly (readonly [RegExp, Advice])[] = [
	[
		/curInvokeEnergyLimit\[(\d+)\]/,
		([, most = ""]) =>
			BigInt(most) < MAX_CALL_ENERGY
				? `it needs more than the ${most} energy that its fee limit pays for: a higher --fee-limit, or --fee-limit auto`
				: `it needs more than the ${most} energy that a call may use: it may never end, or the address that it creates is taken; no --fee-limit helps`,
	],
	[
		/^Dup transaction/i,
		() =>
			"the network has this very transaction already: nothing happens twice; coin tx status <id> tells how far it is",
	],
	[/^Tapos (check )?error/i, () => "it refers to a block that the node's chain doesn't have: build it again"],
	[
		/balance < AccountUpgradeCost/,
		() => "coin chain params getAccountUpgradeCost tells what becoming a witness costs",
	],
	[/^Witness\[.*\] not exists/, () => "coin witness list names the witnesses"],
	[
		/Proposal\[\d+\] is not proposed by/,
		() => "only who proposed it takes it back: coin proposal show tells who did",
	],
	[/^orderId not exists/, () => "coin market orders <account> lists the open ones with their ids"],
	[
		/delegated Resource does not exist/i,
		() =>
			"nothing is delegated to that account for that resource: coin account delegated tells what is, and to whom",
	],
	[
		/^Account has existed/,
		() => "the account is there already and needs nothing: coin account show tells more",
	],
	[/does not have any reward/, () => "coin reward show tells what can be withdrawn, and from when on"],
	[
		/Invalid assetName/,
		() => "a token's name has 1 to 32 visible ASCII characters without a blank, and isn't that of the coin",
	],
	[
		/total number of votes\[\d+\] is greater than the coinPower\[(\d+)\]/i,
		([, power]) =>
			`the account has ${BigInt(power as string) / SUN_PER_COIN} votes, one for each staked coin; coin stake freeze <amount> --for bandwidth gives more, or --for votes where that is a stake of its own (chain parameter getAllowNewResourceModel)`,
	],
	[
		/valid ResourceCode\[BANDWIDTH.ENERGY\]/,
		() =>
			"this chain has no stake for votes alone: each coin staked for bandwidth or energy is a vote, coin stake freeze <amount> --for bandwidth",
	],
	[
		/balance is not (sufficient|enough)|balance must be greater|(frozenBalance|amount) must be less than|no enough balance/i,
		(_, account) =>
			account && `the account has ${formatCoin(account.balance)}, and fees come on top of the amount`,
	],
	[
		/delegateBalance must be less than or equal to (available|the)/i,
		() => "coin stake max --for <resource> tells how much can be delegated",
	],
	[/no frozenBalance|Invalid unfreeze_balance/i, () => "coin stake show tells what is staked, and for what"],
	[
		/account.*not exists?\b|no OwnerAccount|account does not exist/i,
		() => "a payment to an account creates it, or coin account create",
	],
	[
		/resource insufficient|bandwidth.* not enough/i,
		(_, account) =>
			`${account ? `the account has ${formatCoin(account.balance)} to pay for bandwidth and energy; ` : ""}coin account resources tells what is left of them, coin stake freeze <amount> --for bandwidth or energy gives more`,
	],
	[
		/out of energy|not enough energy|OUT_OF_ENERGY/i,
		() =>
			"--fee-limit says how many coins energy may cost, and --fee-limit auto takes the estimate; coin stake freeze <amount> --for energy gives some",
	],
	[
		/expiration time is (\d+), but (?:headBlockTime|next slot time) is (\d+)/i,
		([, end, now]) =>
			`it is ${(BigInt(now as string) - BigInt(end as string)) / 1000n} s too late by the chain's clock: build it again, --expires gives it more time`,
	],
	[
		/is not contained of permission/i,
		() => "coin permission show <account> tells whose signatures count, coin wallet sign adds one",
	],
	[
		/^sig error$|^miss sig/,
		() => "coin wallet approvals tells whose signatures are missing, coin wallet sign adds one",
	],
	[
		/permission denied|permission isn't exit|Permission_id/i,
		() => "coin permission show <account> tells what each permission may do; --permission names one",
	],
	[/exceed(ed)? .*(unfreeze|unfreezing)/i, () => "coin stake withdraw or cancel makes room"],
	[/invalid fee limit|feeLimit must be/i, () => "--fee-limit auto takes the estimate"],
	[/Vote number must be|VoteNumber more than/i, () => "at most 30 witnesses can be voted for at once"],
	[/is not witness|not a witness/i, () => "coin witness list names the witnesses"],
	[
		/ExchangeTransactionContract is rejected/,
		() =>
			"trading is closed until chain parameter 98 is 1: coin proposal create 98=1, or on a development chain coin dev set-param 98=1",
	],
	[/code.*(proposal|parameter)|Bad chain parameter/i, () => "coin chain params lists names and values"],
];

/** The virtual machine's message for a call that ran out of energy. */
const OUT_OF_ENERGY =
	/Not enough energy for '(\w+)' operation executing: curInvokeEnergyLimit\[(\d+)\], curOpEnergy\[\d+\], usedEnergy\[\d+\]/;

/** Its message if storing the code that a constructor returned costs more energy than is left. */
const CODE_TOO_DEAR =
	/Not enough energy for '(?:No energy to )?save just created contract code' executing: needEnergy\[(\d+)\], leftEnergy\[(\d+)\];?/;

/** Failure codes of contract validation. */
const VALIDATION: ReadonlySet<string> = new Set(["contract_validate", "insufficient_funds"]);

/** Makes a failure readable, and adds a hint if one is known and it has none yet. */
export function withAdvice(failure: Failure, account: Refused | undefined): Failure {
	const { message } = failure;
	const advised = failure.facts.hint === undefined ? withHint(failure, account) : failure;
	const plain = inPlainWords(VALIDATION.has(failure.code) ? readable(message) : message);
	return plain === message ? advised : advised.saying(plain);
}

/** Makes a virtual machine's message, as stored in receipts, readable. */
export function inPlainWords(message: string): string {
	return withoutClass(message)
		.replace(OUT_OF_ENERGY, "the call used up all of its $2 energy, at the operation $1")
		.replace(CODE_TOO_DEAR, "storing the created contract's code takes $1 energy, and the call has $2 left");
}

/** A message of the network without the exception class, and with addresses in Base58. */
function readable(message: string): string {
	return message
		.replace(/^Validate \w+ error, (?=\S)/, "")
		.replace(/(?<![0-9a-f])[0-9a-f]{42}(?![0-9a-f])/g, (digits) => {
			const bytes = fromHex(digits);
			return isAddress(bytes) ? toBase58Check(bytes) : digits;
		});
}

function withHint(failure: Failure, account: Refused | undefined): Failure {
	for (const [pattern, advice] of ADVICE) {
		const match = pattern.exec(failure.message);
		const hint = match && advice(match, account);
		if (hint) return failure.with({ hint });
	}
	return failure;
}
