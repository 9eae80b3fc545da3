/** Evaluates transactions against the policy rules. A transaction counts toward the sums of the first rule that allows it. */

import { ADDRESS_LENGTH, addressPrefix, toBase58Check } from "../../protocol/address.js";
import type { JudgedMessage } from "./messages.js";
import {
	DAY_MINUTES,
	type Fees,
	feeOfType,
	MESSAGES,
	type Policies,
	type PolicyRule,
	type Sums,
	TRANSACTIONS,
} from "./policies.js";
import { COIN_ASSET, type JudgedTransaction } from "./transaction-reading.js";

/** How much of the daily sums is used, and earlier decisions about the transaction. */
export interface JudgementFacts {
	readonly client: string;
	readonly key: string;
	readonly nowMs: number;
	/** Amount used today, by rule and asset, in smallest units. */
	readonly spentToday: (rule: PolicyRule, asset: string) => bigint;
	/** Whether the transaction already counts toward the rule's sums. */
	readonly isCounted: (rule: PolicyRule) => boolean;
	readonly hasApproved: (approver: string) => boolean;
	/** Maximum size in bytes of a signature in a transaction, with tag and length. */
	readonly signatureBytes: number;
}

type PolicyVerdict =
	| { readonly refused: string; readonly rule?: PolicyRule }
	| { readonly rule: PolicyRule; readonly awaits: readonly string[]; readonly feeSun: bigint };

/** Longest time to expiration: the network accepts no longer one, and a signature must not be usable much later. */
const MAX_AHEAD_MS = 86_400_000n;

/**
 * Evaluates a transaction against the rules.
 * @returns the rule that allows it and who still has to approve it; else the closest rule, and why each considered rule refuses it
 */
export function judgeTransaction(
	{ rules, fees }: Policies,
	transaction: JudgedTransaction,
	facts: JudgementFacts,
): PolicyVerdict {
	const now = BigInt(facts.nowMs);
	if (transaction.expirationMs <= now) return { refused: "it has expired" };
	if (transaction.expirationMs > now + MAX_AHEAD_MS) return { refused: "it expires in more than a day" };
	// PERF: computed once for all rules and recipients, since the text form of an address takes two hashes.
	const nobody = toBase58Check(Uint8Array.of(addressPrefix(), ...new Uint8Array(ADDRESS_LENGTH - 1)));
	const refusals: Refusal[] = [];
	for (const rule of rules) {
		if (rule.messages || !rule.keys.has(facts.key) || !rule.clients.has(facts.client)) continue;
		const feeSun = feeBound(fees, transaction, rule, facts.signatureBytes);
		const sums = new Map(transaction.sums);
		if (feeSun > 0n) sums.set(COIN_ASSET, (sums.get(COIN_ASSET) ?? 0n) + feeSun);
		const [passed, reason] = firstRefusal(rule, { ...transaction, sums }, { ...facts, feeSun, nobody });
		if (reason === undefined) {
			const approved = [...rule.approvers].some((name) => name !== facts.client && facts.hasApproved(name));
			const others = [...rule.approvers].filter((name) => name !== facts.client);
			if (rule.approvers.size === 0 || others.length > 0)
				return { rule, awaits: approved ? [] : others, feeSun };
			refusals.push({ rule, passed, reason: `nobody else than ${facts.client} could approve it` });
			break;
		}
		refusals.push({ rule, passed, reason });
	}
	const refused = reasonsOf(refusals);
	return refused ?? { refused: `no rule has ${facts.client} sign with ${facts.key}` };
}

/** Why a rule doesn't allow something. */
interface Refusal {
	readonly rule: PolicyRule;
	/** Number of checks passed before the refusal. */
	readonly passed: number;
	readonly reason: string;
}

/** The most rules that a refusal names. */
const MAX_NAMED_RULES = 6;
/** The most characters for reasons after the first, since all are sent to the client and logged. */
const MAX_OTHER_REASONS = 800;

/** The closest rule, and the reasons of all rules, closest first; undefined if there is no rule. */
function reasonsOf(refusals: readonly Refusal[]): { refused: string; rule: PolicyRule } | undefined {
	const nearest = refusals.toSorted((one, other) => other.passed - one.passed).slice(0, MAX_NAMED_RULES);
	if (!nearest[0]) return undefined;
	const [first, ...others] = nearest.map(({ rule, reason }) => `rule ${rule.name}: ${reason}`);
	let characters = 0;
	const texts = others.filter((text) => {
		characters += text.length;
		return characters <= MAX_OTHER_REASONS;
	});
	const unnamed = refusals.length - 1 - texts.length;
	if (unnamed > 0) texts.push(`and ${unnamed} more ${unnamed === 1 ? "rule" : "rules"}`);
	return { refused: [first, ...texts].join("; "), rule: nearest[0].rule };
}

/** Evaluates a message. @returns the rule that allows it, else why each considered rule refuses it, starting with rules that list it */
export function judgeMessage(
	{ rules }: Policies,
	message: JudgedMessage,
	{ client, key, nowMs, spentToday }: Pick<JudgementFacts, "client" | "key" | "nowMs" | "spentToday">,
): { readonly refused: string } | { readonly rule: PolicyRule } {
	const refusals: Refusal[] = [];
	for (const rule of rules) {
		if (!rule.messages || !rule.keys.has(key) || !rule.clients.has(client)) continue;
		const most = rule.perDay.get(MESSAGES);
		const isOver = most !== undefined && spentToday(rule, MESSAGES) >= most;
		const isOther = message.refusedBy(rule.messages);
		if (isOther === undefined && isWithinHours(rule, nowMs) && !isOver) return { rule };
		const reason = isOther ?? (isOver ? `its ${most} messages a day are used` : OUTSIDE_HOURS);
		refusals.push({ rule, passed: isOther === undefined ? 1 : 0, reason });
	}
	return { refused: reasonsOf(refusals)?.refused ?? `no rule has ${client} sign messages with ${key}` };
}

const OUTSIDE_HOURS = "it is outside its hours";

function isWithinHours({ hours }: PolicyRule, nowMs: number): boolean {
	const minute = minuteOfWeek(nowMs);
	return hours.length === 0 || hours.some(({ from, to }) => minute >= from && minute < to);
}

/** Bytes for the framing of the raw data, and those that nodes count for the result. */
const FRAME_BYTES = 5 + 64;
const MAY_CREATE: ReadonlySet<string> = new Set(["TransferContract", "TransferAssetContract"]);

/**
 * Upper bound in sun of what the network charges for a transaction besides its fee limit, assuming no free bandwidth. Everything but the
 * signatures is in the signed bytes; nodes accept no longer signatures and drop other fields. Creating the account of a recipient that
 * a rule names isn't counted, since that happens at most once, ever.
 */
function feeBound(
	fees: Fees,
	{ type, byteLength, memo }: JudgedTransaction,
	{ recipients }: PolicyRule,
	signatureBytes: number,
): bigint {
	const { prices, signatures } = fees;
	const bytes = byteLength + FRAME_BYTES + signatures * signatureBytes;
	let sun = BigInt(bytes) * prices.transactionFee;
	if (type.name === "AccountCreateContract" || (MAY_CREATE.has(type.name) && !recipients)) {
		// Replaces the fee for bytes if it is higher.
		if (sun < prices.createAccountFee) sun = prices.createAccountFee;
		sun += prices.createNewAccountFeeInSystemContract;
	}
	if (memo !== "") sun += prices.memoFee;
	if (signatures > 1) sun += prices.multiSignFee;
	return sun + feeOfType(type, fees);
}

interface RuleFacts extends JudgementFacts {
	/** The fees that are included in the sums. */
	readonly feeSun: bigint;
	/** The zero address. */
	readonly nobody: string;
}

type Check = (rule: PolicyRule, transaction: JudgedTransaction, facts: RuleFacts) => string | undefined;

const CHECKS: readonly Check[] = [
	({ types }, { type }) => (types.has(type.name) ? undefined : `${type.name} is not one of its types`),
	({ accounts }, { owner }) => (accounts.has(owner) ? undefined : `${owner} is not one of its accounts`),
	({ permissions }, { permissionId }) =>
		permissions.has(permissionId) ? undefined : `permission ${permissionId} is not one of its permissions`,
	({ contracts }, { contract }) =>
		contract === undefined || !contracts || contracts.has(contract)
			? undefined
			: `${contract} is not one of its contracts`,
	({ functions }, { selector, isUncounted }) => {
		if (selector === undefined || (functions ? functions.has(selector) : !isUncounted)) return undefined;
		if (selector === "") return "a call without a function is not one of its functions";
		return `0x${selector} is not one of its functions`;
	},
	({ recipients, contracts }, transaction, { nobody }) => {
		const isNamed = transaction.contract !== undefined && contracts?.has(transaction.contract);
		if (recipients && transaction.isToAnyone && !isNamed)
			return "what it pays can go to others than its recipients";
		const isAllowed = (to: string): boolean => (recipients ? recipients.has(to) : to !== nobody);
		const other = transaction.recipients.find((to) => !isAllowed(to));
		return other === undefined ? undefined : `${other} is not one of its recipients`;
	},
	({ memos }, { memo, recipients }) => {
		// A deposit at an exchange is lost without a memo just as with a wrong one.
		const mayHaveNone = memos?.size === 0 || recipients.length === 0;
		if (!memos || memos.has(memo) || (memo === "" && mayHaveNone)) return undefined;
		return memo === "" ? "it has none of its memos" : "the memo is not one of its memos";
	},
	({ feeLimitSun }, { feeLimitSun: limit }) =>
		feeLimitSun === undefined || limit <= feeLimitSun
			? undefined
			: `the fee limit of ${limit} sun is above its ${feeLimitSun} sun`,
	({ perTransaction }, { sums }, { feeSun }) =>
		overSum(perTransaction, sums, () => 0n, "a transaction", feeSun),
	(rule, _, { nowMs }) => (isWithinHours(rule, nowMs) ? undefined : OUTSIDE_HOURS),
	(rule, { sums }, { isCounted, spentToday, feeSun }) => {
		if (isCounted(rule)) return undefined;
		const most = rule.perDay.get(TRANSACTIONS);
		if (most !== undefined && spentToday(rule, TRANSACTIONS) >= most)
			return `its ${most} transactions a day are used`;
		return overSum(rule.perDay, sums, (asset) => spentToday(rule, asset), "a day", feeSun);
	},
];

/** @returns how many checks passed, and why the next one failed */
function firstRefusal(
	rule: PolicyRule,
	transaction: JudgedTransaction,
	facts: RuleFacts,
): readonly [passed: number, reason: string | undefined] {
	for (const [passed, check] of CHECKS.entries()) {
		const reason = check(rule, transaction, facts);
		if (reason !== undefined) return [passed, reason];
	}
	return [CHECKS.length, undefined];
}

function overSum(
	limits: Sums,
	sums: JudgedTransaction["sums"],
	spent: (asset: string) => bigint,
	per: string,
	feeSun: bigint,
): string | undefined {
	for (const [asset, amount] of sums) {
		if (!limits.has(asset)) return `it has no sum ${per} of ${asset}`;
		const limit = limits.get(asset);
		const before = spent(asset);
		if (limit === undefined || before + amount <= limit) continue;
		const used = before > 0n ? `, of which ${loggedAmount(asset, before)} are used` : "";
		const fees = asset === COIN_ASSET && feeSun > 0n ? `, ${feeSun}sun of it fees,` : "";
		return `${loggedAmount(asset, amount)}${fees} is above its ${loggedAmount(asset, limit)} ${per}${used}`;
	}
	return undefined;
}

/** An amount in the log's format: `1000000sun`, `5@1000001`. */
export function loggedAmount(asset: string, amount: bigint): string {
	return asset === COIN_ASSET ? `${amount}sun` : `${amount}@${asset}`;
}

/** Minutes since Monday 00:00 UTC. */
function minuteOfWeek(nowMs: number): number {
	const time = new Date(nowMs);
	return ((time.getUTCDay() + 6) % 7) * DAY_MINUTES + time.getUTCHours() * 60 + time.getUTCMinutes();
}
