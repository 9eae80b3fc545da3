/** Payment for a transaction's bytes (protocol/resources §3). */

import { toBase58Check } from "../../protocol/address.js";
import { byteStringText } from "../../protocol/byte-string-text.js";
import { asBuffer, fromUtf8 } from "../../protocol/bytes.js";
import { wrap } from "../../protocol/int64.js";
import {
	Account,
	AssetIssueContract,
	type ResourceReceipt,
	TransactionResult,
	type TransferAssetContract,
	type TransferContract,
} from "../../protocol/messages.js";
import { quoting } from "../../protocol/quoting-message.js";
import type { SignedTransaction } from "../../protocol/transaction.js";
import type { ChainRules } from "../rules/chain-rules.js";
import {
	ContractValidateError,
	ResourceInsufficientError,
	TooBigTransactionError,
	TooBigTransactionResultError,
} from "../rules/errors.js";
import { countedBytes } from "../rules/post-quantum.js";
import type { Properties } from "../state/properties.js";
import type { StateView } from "../state/view.js";
import { changeBalance, InsufficientBalanceError, sinkFee, sinkFeeToPool } from "./balance.js";
import { resourceLimit } from "./stake.js";
import { accountIncrease, increase, recovery, unfreezeDelayOn } from "./window.js";

const MAX_RESULT_SIZE = 64;
const SIGNATURE_SIZE = 65;

/** How a transaction's bytes were paid for. */
interface BandwidthCharge {
	/** Whether the fee was for bytes, not for account creation: only then it may enter the packing fee. */
	readonly isByteFee: boolean;
}

interface BandwidthContext {
	readonly state: StateView;
	readonly rules: ChainRules;
	readonly transaction: SignedTransaction;
	readonly inBlock: boolean;
}

/**
 * Charges the owner and fills `net_usage` and `net_fee` of the receipt.
 * @throws {TooBigTransactionResultError | TooBigTransactionError}
 * @throws {ContractValidateError | ResourceInsufficientError}
 */
export function chargeBandwidth(context: BandwidthContext, receipt: ResourceReceipt): BandwidthCharge {
	const { state, transaction } = context;
	checkResultSize(context);
	const typeName = transaction.type?.name;
	if (typeName === "ShieldedTransferContract") return { isByteFee: false };
	const bytes = BigInt(
		state.properties.on("ALLOW_CREATION_OF_CONTRACTS")
			? transaction.sizeWithoutResults + MAX_RESULT_SIZE
			: transaction.size,
	);
	receipt.net_usage = bytes;
	receipt.net_fee = 0n;
	const owner = state.account.get(transaction.owner);
	if (!owner) {
		throw new ContractValidateError(quoting`account [${toBase58Check(transaction.owner)}] does not exist`);
	}
	if (createsAccount(state, transaction)) {
		chargeCreation(context, owner, bytes, receipt);
		return { isByteFee: false };
	}
	if (typeName === "TransferAssetContract" && useTokenBandwidth(state, transaction, owner, bytes)) {
		return { isByteFee: false };
	}
	if (useStakedBandwidth(state, owner, bytes)) return { isByteFee: false };
	if (useFreeBandwidth(state, owner, bytes)) return { isByteFee: false };
	const fee = wrap(state.properties.get("TRANSACTION_FEE") * bytes);
	payFee(context, owner, fee, bytes, sinkFeeToPool);
	state.properties.add("TOTAL_TRANSACTION_COST", fee);
	receipt.net_usage = 0n;
	receipt.net_fee = fee;
	return { isByteFee: true };
}

function checkResultSize({ transaction, inBlock }: BandwidthContext): void {
	const results = transaction.message.ret;
	const limit = MAX_RESULT_SIZE * (transaction.raw?.contract.length ?? 0);
	if (!inBlock) {
		let size = 0;
		for (const result of results) {
			const bare = TransactionResult.copy(result);
			bare.contractRet = 0;
			size += TransactionResult.size(bare) + 2;
		}
		if (size > limit) {
			throw new TooBigTransactionResultError(
				`Too big transaction result, TxId ${transaction.idHex}, the result size is ${size} bytes, maxResultSize ${limit}`,
			);
		}
	}
	let size = 0;
	for (const result of results) size += TransactionResult.size(result);
	if (size > limit) throw new TooBigTransactionResultError("too big transaction result");
}

function createsAccount(state: StateView, transaction: SignedTransaction): boolean {
	switch (transaction.type?.name) {
		case "AccountCreateContract":
			return true;
		case "TransferContract":
			return !state.account.has((transaction.parameter as TransferContract).to_address);
		case "TransferAssetContract":
			return !state.account.has((transaction.parameter as TransferAssetContract).to_address);
		default:
			return false;
	}
}

function chargeCreation(
	context: BandwidthContext,
	owner: Readonly<Account>,
	bytes: bigint,
	receipt: ResourceReceipt,
): void {
	const { state, transaction, inBlock } = context;
	const { properties } = state;
	if (!inBlock || properties.on("CONSENSUS_LOGIC_OPTIMIZATION")) {
		const signatures =
			SIGNATURE_SIZE * transaction.message.signature.length + countedBytes(transaction, context.rules);
		const size = transaction.sizeWithoutResults - signatures;
		const limit = properties.get("MAX_CREATE_ACCOUNT_TX_SIZE");
		if (BigInt(size) > limit) {
			throw new TooBigTransactionError(
				`Too big new account transaction, TxId ${transaction.idHex}, the size is ${size} bytes, maxTxSize ${limit}`,
			);
		}
	}
	const cost = wrap(bytes * properties.get("CREATE_NEW_ACCOUNT_BANDWIDTH_RATE"));
	if (useStakedBandwidth(state, owner, cost)) {
		receipt.net_usage = cost;
		return;
	}
	const fee = properties.get("CREATE_ACCOUNT_FEE");
	payFee(context, owner, fee, bytes, sinkFee);
	properties.add("TOTAL_CREATE_ACCOUNT_COST", fee);
	receipt.net_usage = 0n;
	receipt.net_fee = fee;
}

/**
 * Takes a fee from the owner; a fee of 0 writes nothing.
 * @param fee may be negative: a price near its limit times the bytes wraps
 * @throws {ResourceInsufficientError}
 */
function payFee(
	{ state, rules }: BandwidthContext,
	owner: Readonly<Account>,
	fee: bigint,
	bytes: bigint,
	sink: typeof sinkFee,
): void {
	if (fee === 0n) return;
	const copy = Account.copy(owner);
	copy.latest_opration_time = state.properties.headTimestampMs;
	try {
		changeBalance(copy, -fee);
		state.account.put(owner.address, copy);
		sink(state, rules, fee);
	} catch (error) {
		if (!(error instanceof InsufficientBalanceError)) throw error;
		throw new ResourceInsufficientError(
			`account [${toBase58Check(owner.address)}] has insufficient bandwidth[${bytes}] and balance[${fee}] to create new account`,
		);
	}
}

/** Pays from the owner's staked bandwidth if that covers everything. */
function useStakedBandwidth(state: StateView, owner: Readonly<Account>, bytes: bigint): boolean {
	const { properties } = state;
	const now = properties.headSlot;
	const usage = recovery(properties, owner, "bandwidth", owner.net_usage, owner.latest_consume_time, now);
	if (bytes > wrap(resourceLimit(properties, owner, "bandwidth") - usage)) return false;
	const copy = Account.copy(owner);
	addStakedUsage(properties, copy, bytes, now);
	copy.latest_opration_time = properties.headTimestampMs;
	state.account.put(owner.address, copy);
	return true;
}

/** Adds bytes to the staked usage of a record that the caller writes. */
function addStakedUsage(properties: Properties, account: Account, bytes: bigint, now: bigint): void {
	if (unfreezeDelayOn(properties)) {
		account.net_usage = accountIncrease(
			properties,
			account,
			"bandwidth",
			account.net_usage,
			bytes,
			account.latest_consume_time,
			now,
		);
	} else {
		const usage = increase(properties, account.net_usage, 0n, account.latest_consume_time, now);
		account.net_usage = increase(properties, usage, bytes, now, now);
	}
	account.latest_consume_time = now;
}

function useFreeBandwidth(state: StateView, owner: Readonly<Account>, bytes: bigint): boolean {
	const { properties } = state;
	const now = properties.headSlot;
	const own = increase(properties, owner.free_net_usage, 0n, owner.latest_consume_free_time, now);
	if (bytes > wrap(properties.get("FREE_NET_LIMIT") - own)) return false;
	const shared = increase(
		properties,
		properties.get("PUBLIC_NET_USAGE"),
		0n,
		properties.get("PUBLIC_NET_TIME"),
		now,
	);
	if (bytes > wrap(properties.get("PUBLIC_NET_LIMIT") - shared)) return false;
	const copy = Account.copy(owner);
	copy.free_net_usage = increase(properties, own, bytes, now, now);
	copy.latest_consume_free_time = now;
	copy.latest_opration_time = properties.headTimestampMs;
	properties.set("PUBLIC_NET_USAGE", increase(properties, shared, bytes, now, now));
	properties.set("PUBLIC_NET_TIME", now);
	state.account.put(owner.address, copy);
	return true;
}

/** Pays a token transfer from the issuer's public bandwidth for holders (protocol/resources §3.5). */
function useTokenBandwidth(
	state: StateView,
	transaction: SignedTransaction,
	sender: Readonly<Account>,
	bytes: bigint,
): boolean {
	const { properties } = state;
	const now = properties.headSlot;
	const sameName = properties.on("ALLOW_SAME_TOKEN_NAME");
	const key = (transaction.parameter as TransferAssetContract).asset_name;
	const token = (sameName ? state.assetIssueV2 : state.assetIssue).get(key);
	if (!token) throw new ContractValidateError(quoting`asset [${byteStringText(key)}] does not exist`);

	const shared = increase(
		properties,
		token.public_free_asset_net_usage,
		0n,
		token.public_latest_free_net_time,
		now,
	);
	if (bytes > wrap(token.public_free_asset_net_limit - shared)) return false;
	const name = fromUtf8(key);
	const usages = sameName ? sender.free_asset_net_usageV2 : sender.free_asset_net_usage;
	const times = sameName ? sender.latest_asset_operation_timeV2 : sender.latest_asset_operation_time;
	const own = increase(properties, usages.get(name) ?? 0n, 0n, times.get(name) ?? 0n, now);
	if (bytes > wrap(token.free_asset_net_limit - own)) return false;
	const issuer = state.account.get(token.owner_address) as Readonly<Account>;
	const issuerUsage = recovery(
		properties,
		issuer,
		"bandwidth",
		issuer.net_usage,
		issuer.latest_consume_time,
		now,
	);
	if (bytes > wrap(resourceLimit(properties, issuer, "bandwidth") - issuerUsage)) return false;

	const payer = Account.copy(issuer);
	addStakedUsage(properties, payer, bytes, now);
	const ownUsage = increase(properties, own, bytes, now, now);
	const holder = Account.copy(sender);
	holder.latest_opration_time = properties.headTimestampMs;
	const chargeToken = (stored: Readonly<AssetIssueContract>): AssetIssueContract => {
		const copy = AssetIssueContract.copy(stored);
		copy.public_free_asset_net_usage = increase(properties, shared, bytes, now, now);
		copy.public_latest_free_net_time = now;
		return copy;
	};
	if (sameName) {
		state.assetIssueV2.put(key, chargeToken(token));
	} else {
		state.assetIssue.put(key, chargeToken(token));
		const id = asBuffer(Buffer.from(token.id, "utf8"));
		const second = state.assetIssueV2.get(id);
		if (second) state.assetIssueV2.put(id, chargeToken(second));
		holder.free_asset_net_usage = withEntry(holder.free_asset_net_usage, name, ownUsage);
		holder.latest_asset_operation_time = withEntry(holder.latest_asset_operation_time, name, now);
	}
	const id = sameName ? name : token.id;
	holder.free_asset_net_usageV2 = withEntry(holder.free_asset_net_usageV2, id, ownUsage);
	holder.latest_asset_operation_timeV2 = withEntry(holder.latest_asset_operation_timeV2, id, now);
	// Written last: if the issuer is the sender, this overwrites it (protocol/resources §3.5, rule 7).
	state.account.put(sender.address, holder);
	state.account.put(issuer.address, payer);
	return true;
}

function withEntry(map: ReadonlyMap<string, bigint>, key: string, value: bigint): Map<string, bigint> {
	return new Map(map).set(key, value);
}
