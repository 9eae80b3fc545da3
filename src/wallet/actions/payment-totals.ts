/** What a list of payments comes to: its sums, its fees, and who is paid (protocol/wallet-formats §7). */

import type { TransactionCost } from "../transaction/transaction-cost.js";
import { formatCoin } from "../values/amount.js";

/** Parts of the fees, in sun. */
export type FeeSums = Pick<
	TransactionCost,
	"bandwidthSun" | "creationSun" | "memoSun" | "signaturesSun" | "typeSun" | "energySun" | "totalSun"
>;

export const NO_FEES: FeeSums = {
	bandwidthSun: 0n,
	creationSun: 0n,
	memoSun: 0n,
	signaturesSun: 0n,
	typeSun: 0n,
	energySun: 0n,
	totalSun: 0n,
};

export function addFees(sums: FeeSums, cost: FeeSums): FeeSums {
	const names = Object.keys(NO_FEES) as (keyof FeeSums)[];
	return Object.fromEntries(names.map((name) => [name, sums[name] + cost[name]])) as unknown as FeeSums;
}

export interface BatchTotals {
	readonly payments: number;
	/** Accounts that are paid. */
	readonly accounts: number;
	/** In smallest units; the coin's asset is `coin`. */
	readonly amounts: readonly { readonly asset: string; readonly amount: bigint; readonly text: string }[];
	/** Undefined without a network. */
	readonly fees: FeeSums | undefined;
	/** Those of the accounts that don't exist yet, that are contracts, and that this account hasn't paid before. */
	readonly newAccounts: readonly string[];
	readonly contracts: readonly string[];
	/** As far as the node tells. */
	readonly firstPayments: readonly string[];
}

const PARTS: readonly (readonly [part: keyof FeeSums, name: string])[] = [
	["bandwidthSun", "bandwidth"],
	["energySun", "energy"],
	["creationSun", "new accounts"],
	["memoSun", "memos"],
	["signaturesSun", "signatures"],
	["typeSun", "types"],
];

/** Addresses that a line shows. */
const SHOWN = 10;

/** The lines of a summary on fees and recipients. */
export function totalLines({ fees, newAccounts, contracts, firstPayments }: BatchTotals): string[] {
	const parts = PARTS.flatMap(([part, name]) =>
		fees && fees[part] > 0n ? [`${name} ${formatCoin(fees[part])}`] : [],
	);
	const of = parts.length > 0 ? `: ${parts.join(", ")}` : "";
	const groups: readonly (readonly [string, readonly string[]])[] = [
		["new", newAccounts],
		["contracts", contracts],
		["first paid", firstPayments],
	];
	return [
		...(fees ? [`  fees        ${formatCoin(fees.totalSun)}${of}`] : []),
		...groups.flatMap(([name, addresses]) =>
			addresses.length > 0 ? [`  ${name.padEnd(11)} ${listText(addresses)}`] : [],
		),
	];
}

function listText(addresses: readonly string[]): string {
	const more = addresses.length - SHOWN;
	return `${addresses.slice(0, SHOWN).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
