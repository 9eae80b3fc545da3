/** Flags of all commands that act on the chain (protocol/command-line §1.2). */

import { Flags, type Interfaces } from "@oclif/core";
import { Failure } from "../../wallet/failure.js";
import type { RequestedFeeLimit } from "../../wallet/values/fee-limit.js";
import { keystoreFlags, nodeFlags, passwordFlags, progressFlag } from "./flags.js";

/** Flags for waiting for a transaction after sending it. */
export const waitFlags = {
	...progressFlag,
	wait: Flags.boolean({ description: "wait until it is irreversible", helpGroup: "TRANSACTION" }),
	"wait-included": Flags.boolean({
		description: "wait until it is in a block",
		helpGroup: "TRANSACTION",
		exclusive: ["wait"],
	}),
	"wait-timeout": Flags.string({
		description: "how long to wait",
		helpValue: "<duration>",
		default: "90s",
		helpGroup: "TRANSACTION",
	}),
};

export const yesFlag = {
	yes: Flags.boolean({
		char: "y",
		description: "answer ordinary confirmations with yes",
		helpGroup: "GENERAL",
	}),
};

/** Flags of commands that call contracts. */
export const feeLimitFlags = {
	"fee-limit": Flags.string({
		description: "the most that energy may cost, or auto: the estimate and a quarter more (auto)",
		helpValue: "<amount>",
		helpGroup: "TRANSACTION",
	}),
	force: Flags.boolean({
		description:
			"send a call although it would fail (with an amount for --fee-limit), or a payment to a contract",
		helpGroup: "TRANSACTION",
	}),
};

/** Flag of commands that take amounts in tokens' decimals. */
export const trustFlag = {
	"trust-node": Flags.boolean({
		description:
			"let the node alone say how many decimals tokens have, also where nobody looks at the amounts",
		helpGroup: "TRANSACTION",
	}),
};

/** Flags of commands that take amounts of one token. */
export const decimalsFlags = {
	...trustFlag,
	decimals: Flags.string({
		description: "decimals of the token, as you know them: refused if the node says otherwise",
		helpValue: "<n>",
		helpGroup: "TRANSACTION",
	}),
};

/** The value of `--decimals`. @throws {Failure} `bad_value` */
export function statedDecimals({ decimals }: { readonly decimals?: string | undefined }): number | undefined {
	if (decimals === undefined) return undefined;
	if (/^\d{1,3}$/.test(decimals) && Number(decimals) < 256) return Number(decimals);
	throw new Failure("bad_value", `--decimals "${decimals}" is not a number of decimals`);
}

/** The values of {@link feeLimitFlags}. A dry run isn't refused, since it reports the outcome itself. */
export function requestedFeeLimit(flags: FeeLimitFlags): RequestedFeeLimit {
	const { "fee-limit": feeLimit, "dry-run": isDry } = flags;
	return { feeLimit, force: flags.force || (isDry && feeLimit !== undefined && feeLimit !== "auto") };
}

type FeeLimitFlags = Interfaces.InferredFlags<typeof feeLimitFlags> & { readonly "dry-run": boolean };

const NOT_TOGETHER = ["sign", "dry-run", "wait", "wait-included"];

export const actingFlags = {
	...nodeFlags,
	...keystoreFlags,
	...passwordFlags,
	...waitFlags,
	...yesFlag,
	from: Flags.string({
		description: "account that acts (default: the active wallet)",
		helpValue: "<account>",
		env: "COIN_FROM",
		helpGroup: "TRANSACTION",
	}),
	signer: Flags.string({
		description: "key that signs (default: the account's own), or ledger[:<index or path>]; repeatable",
		helpValue: "<wallet>",
		multiple: true,
		multipleNonGreedy: true,
		helpGroup: "TRANSACTION",
	}),
	permission: Flags.string({
		description: "permission to act under: 0 for the owner, 2 to 9, or the name of an active one",
		helpValue: "<id or name>",
		helpGroup: "TRANSACTION",
	}),
	memo: Flags.string({ description: "text, or bytes as 0x…", helpValue: "<text>", helpGroup: "TRANSACTION" }),
	expires: Flags.string({
		description: "life of the transaction from the head block, or its end as @<epoch ms>",
		helpValue: "<duration>",
		helpGroup: "TRANSACTION",
	}),
	"ref-block": Flags.string({
		description: "block that it refers to: solid, head, a number",
		helpValue: "<block>",
		helpGroup: "TRANSACTION",
	}),
	ref: Flags.string({
		description:
			"use no network: reference block and expiry as chain head --ref printed them; - for standard input",
		helpValue: "<file>",
		exclusive: ["ref-block", "dry-run", "wait", "wait-included"],
		helpGroup: "TRANSACTION",
	}),
	build: Flags.boolean({
		description: "print the unsigned transaction and stop",
		exclusive: NOT_TOGETHER,
		helpGroup: "TRANSACTION",
	}),
	sign: Flags.boolean({
		description: "print the signed transaction and stop",
		exclusive: ["build", "dry-run", "wait", "wait-included"],
		helpGroup: "TRANSACTION",
	}),
	"dry-run": Flags.boolean({
		description: "check everything at the node, simulate it where the node can, sign and send nothing",
		exclusive: ["build", "sign", "wait", "wait-included"],
		helpGroup: "TRANSACTION",
	}),
	offline: Flags.boolean({
		description:
			"use no network; with --build or --sign, and --ref, or --ref-block <number>:<id> and --expires @<epoch ms>",
		helpGroup: "TRANSACTION",
	}),
};

/** The values of {@link actingFlags} after parsing. */
export type ActingFlags = Interfaces.InferredFlags<typeof actingFlags> &
	Partial<Interfaces.InferredFlags<typeof trustFlag>>;

/** The values of {@link waitFlags}. */
export type WaitFlags = Interfaces.InferredFlags<typeof waitFlags>;
