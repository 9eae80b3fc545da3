/**
 * ShieldedTransferContract (protocol/shielded §4): transfers the shielded token from an account or a note to notes and an
 * account. The fee is paid in that token. Proposals can't open the pool; only a chain's initial state can.
 */

import { isAddress, toBase58Check } from "../../protocol/address.js";
import { equalBytes, hasRepetition, toKey, utf8 } from "../../protocol/bytes.js";
import { checkedAdd, checkedSub, OverflowError } from "../../protocol/int64.js";
import {
	Account,
	AccountType,
	type ReceiveDescription,
	type ShieldedTransferContract,
	type SpendDescription,
} from "../../protocol/messages.js";
import { checkLength, ShieldedError } from "../../protocol/sapling/failure.js";
import { shieldedSignHash } from "../../protocol/sapling/redjubjub.js";
import {
	KEY_SIZE,
	POOL_LIMITS,
	PROOF_SIZE,
	SEALED_NOTE_SIZE,
	SEALED_OUTGOING_SIZE,
	SIGNATURE_SIZE,
} from "../../protocol/sapling/sizes.js";
import { Recent } from "../memory/recent.js";
import { newAccount } from "../resources/balance.js";
import type { ShieldedPool } from "../rules/chain-rules.js";
import {
	ContractExecuteError,
	ContractValidateError,
	MissingProofsError,
	ZkProofValidateError,
} from "../rules/errors.js";
import { appendNotes, isNullifierKnown, putNullifier, treeOfRoot } from "../state/note-trees.js";
import type { StateView } from "../state/view.js";
import { addToken, takeToken, tokenBalance } from "../tokens/holdings.js";
import { executeArithmetic, validateArithmetic } from "./arithmetic.js";
import { type ContractContext, defineContract } from "./contract.js";

type Context = ContractContext<ShieldedTransferContract>;

export const shieldedTransfer = defineContract<ShieldedTransferContract>({
	type: "ShieldedTransferContract",
	// The network unpacks the message without checking its type first.
	parameterRefusal: () => "Type of the Any message does not match the given class.",

	validate(context) {
		const { state, rules, contract } = context;
		if (!state.properties.on("ALLOW_SAME_TOKEN_NAME")) {
			throw new ContractValidateError(
				"shielded transaction is not allowed before ALLOW_SAME_TOKEN_NAME is opened by the committee",
			);
		}
		if (!state.properties.on("ALLOW_SHIELDED_TRANSACTION")) {
			throw new ContractValidateError("Not support Shielded Transaction, need to be opened by the committee");
		}
		const pool = poolOf(context);
		const fee = feeOf(state, contract);
		checkCounts(contract);
		checkParties(contract);
		checkAccounts(state, pool, contract, fee);
		checkNullifiers(state, contract.spend_description, rules.keepsNoteTree);
		if (hasRepetition(contract.receive_description.map(({ note_commitment }) => note_commitment))) {
			throw new ContractValidateError("duplicate cm in receive_description");
		}
		checkProofs(context, pool, fee);
	},

	execute(context, result) {
		const { state, rules, contract } = context;
		const pool = poolOf(context);
		const token = utf8(pool.tokenId);
		const fee = feeOf(state, contract);
		const { transparent_from_address: from, transparent_to_address: to } = contract;
		if (from.length > 0) takeFrom(state, from, token, contract.from_amount);
		giveTo(state, rules.blackHole, token, fee);
		for (const { nullifier } of contract.spend_description) {
			if (isNullifierKnown(state, nullifier)) throw new ContractExecuteError("double spend");
			putNullifier(state, nullifier);
		}
		if (rules.keepsNoteTree) {
			const notes = contract.receive_description.map(({ note_commitment }) => note_commitment);
			growTree(state, pool, notes);
		}
		if (to.length > 0) {
			if (!state.account.has(to)) state.account.put(to, newAccount(state, to, AccountType.Normal));
			giveTo(state, to, token, contract.to_amount);
		}
		takeFromPool(state, contract, fee);
		result.shielded_transaction_fee = fee;
	},
});

/** @throws {MissingProofsError} where nothing is loaded that could check proofs */
function poolOf({ rules }: Pick<Context, "rules">): ShieldedPool {
	if (rules.shieldedPool) return rules.shieldedPool;
	throw new MissingProofsError();
}

/** Fee in units of the token; higher if the receiving account has to be created. */
function feeOf(state: StateView, { transparent_to_address: to }: ShieldedTransferContract): bigint {
	const creates = to.length > 0 && !state.account.has(to);
	return state.properties.get(
		creates ? "SHIELDED_TRANSACTION_CREATE_ACCOUNT_FEE" : "SHIELDED_TRANSACTION_FEE",
	);
}

function checkCounts(contract: ShieldedTransferContract): void {
	const spends = contract.spend_description.length;
	const outputs = contract.receive_description.length;
	const hasSender = contract.transparent_from_address.length > 0;
	const refuse = (what: string) => {
		throw new ContractValidateError(`ShieldedTransferContract error, ${what}`);
	};
	if (hasSender && spends > 0) refuse("more than 1 senders");
	if (!hasSender && spends === 0) refuse("no sender");
	if (spends > POOL_LIMITS.spends)
		refuse(`number of spend notes should not be more than ${POOL_LIMITS.spends}`);
	if (outputs === 0) refuse("no output cm");
	if (outputs > POOL_LIMITS.outputs)
		refuse(`number of receivers should not be more than ${POOL_LIMITS.outputs}`);
}

function checkParties(contract: ShieldedTransferContract): void {
	const { transparent_from_address: from, transparent_to_address: to, from_amount, to_amount } = contract;
	if (from_amount < 0n) throw new ContractValidateError("from_amount should not be less than 0");
	if (to_amount < 0n) throw new ContractValidateError("to_amount should not be less than 0");
	if (from.length > 0 && !isAddress(from))
		throw new ContractValidateError("Invalid transparent_from_address");
	if (from.length === 0 && from_amount !== 0n) {
		throw new ContractValidateError("no transparent_from_address, from_amount should be 0");
	}
	if (to.length > 0 && !isAddress(to)) throw new ContractValidateError("Invalid transparent_to_address");
	if (to.length === 0 && to_amount !== 0n) {
		throw new ContractValidateError("no transparent_to_address, to_amount should be 0");
	}
	if (from.length > 0 && equalBytes(from, to))
		throw new ContractValidateError("Can't transfer zen to yourself");
}

function checkAccounts(
	state: StateView,
	{ tokenId }: ShieldedPool,
	contract: ShieldedTransferContract,
	fee: bigint,
): void {
	const { transparent_from_address: from, transparent_to_address: to, from_amount, to_amount } = contract;
	const token = utf8(tokenId);
	if (from.length > 0) {
		const sender = state.account.get(from);
		const refuse = (what: string) =>
			new ContractValidateError(`Validate ShieldedTransferContract error, ${what}`);
		if (!sender) throw refuse("no OwnerAccount");
		if (from_amount <= 0n) throw new ContractValidateError("from_amount must be greater than 0");
		if ((tokenBalance(state, sender, token) ?? 0n) < from_amount) throw refuse("balance is not sufficient");
		if (from_amount <= fee) throw refuse("fromAmount should be great than fee");
	}
	if (to.length > 0) {
		if (to_amount <= 0n) throw new ContractValidateError("to_amount must be greater than 0");
		const receiver = state.account.get(to);
		const held = receiver && tokenBalance(state, receiver, token);
		if (held !== undefined) validateArithmetic(() => checkedAdd(held, to_amount));
	}
}

/** @param checksAnchors whether this node stores roots to compare with */
function checkNullifiers(
	state: StateView,
	spends: readonly Readonly<SpendDescription>[],
	checksAnchors: boolean,
): void {
	const seen = new Set<string>();
	for (const { nullifier, anchor } of spends) {
		if (seen.has(toKey(nullifier))) {
			throw new ContractValidateError("duplicate sapling nullifiers in this transaction");
		}
		seen.add(toKey(nullifier));
		if (checksAnchors && !treeOfRoot(state, anchor)) throw new ContractValidateError("Rt is invalid.");
		if (isNullifierKnown(state, nullifier)) {
			throw new ContractValidateError("note has been spend in this transaction");
		}
	}
}

/** Number of rejected transfer ids remembered, of 32 bytes each. */
const REFUSED = 4_096;
/** Ids of transfers whose proofs were invalid, per pool. */
const refused = new WeakMap<ShieldedPool, Recent>();

/**
 * A transfer rejected before gets a different message. The proof is always checked again, since validity must
 * not depend on what this node has seen.
 * @throws {ZkProofValidateError}
 */
function checkProofs(context: Context, pool: ShieldedPool, fee: bigint): void {
	try {
		proveTransfer(context, pool, fee);
	} catch (error) {
		if (!(error instanceof ZkProofValidateError)) throw error;
		const known = refused.get(pool) ?? new Recent(REFUSED, Number.POSITIVE_INFINITY, () => 0);
		refused.set(pool, known);
		if (known.put(toKey(context.transactionId), true)) throw error;
		throw new ZkProofValidateError("record is fail, skip proof");
	}
}

/** @throws {ZkProofValidateError} */
function proveTransfer(context: Context, { proofs, tokenId }: ShieldedPool, fee: bigint): void {
	const { state, contract, transaction } = context;
	const { spend_description: spends, receive_description: outputs, binding_signature: signature } = contract;
	if (!transaction) throw new Error("a shielded transfer is only checked as part of its transaction");
	const signHash = shieldedSignHash(transaction, tokenId);
	try {
		for (const spend of spends) checkSpend(proofs, spend, signHash);
		for (const output of outputs) checkOutput(proofs, output);
		const value = balanceOf(contract, fee);
		const left = checkedSub(state.properties.get("TOTAL_SHIELDED_POOL_VALUE"), value);
		if (left < 0n) throw new ZkProofValidateError("shieldedPoolValue error");
		checkLength(signature, SIGNATURE_SIZE);
		const spent = spends.map(({ value_commitment }) => value_commitment);
		const created = outputs.map(({ value_commitment }) => value_commitment);
		if (!proofs.holdsBalance({ spent, created, value, signature }, signHash)) {
			throw new ZkProofValidateError("librustzcashSaplingFinalCheck error");
		}
	} catch (error) {
		if (error instanceof ShieldedError || error instanceof OverflowError)
			throw new ZkProofValidateError(error.message);
		throw error;
	}
}

/** The net amount that leaves the pool. @throws {OverflowError} */
const balanceOf = ({ from_amount, to_amount }: ShieldedTransferContract, fee: bigint): bigint =>
	checkedAdd(checkedSub(to_amount, from_amount), fee);

function checkSpend(
	proofs: ShieldedPool["proofs"],
	spend: Readonly<SpendDescription>,
	signHash: Uint8Array,
): void {
	const { value_commitment, anchor, nullifier, rk, zkproof, spend_authority_signature } = spend;
	for (const part of [value_commitment, anchor, nullifier, rk]) checkLength(part, KEY_SIZE);
	checkLength(zkproof, PROOF_SIZE);
	checkLength(spend_authority_signature, SIGNATURE_SIZE);
	const holds = proofs.holdsSpend(
		{
			nullifier,
			anchor,
			valueCommitment: value_commitment,
			randomizedKey: rk,
			proof: zkproof,
			authorization: spend_authority_signature,
		},
		signHash,
	);
	if (!holds) throw new ZkProofValidateError("librustzcashSaplingCheckSpend error");
}

function checkOutput(proofs: ShieldedPool["proofs"], output: Readonly<ReceiveDescription>): void {
	const { value_commitment, note_commitment, epk, zkproof, c_enc, c_out } = output;
	if (c_enc.length !== SEALED_NOTE_SIZE || c_out.length !== SEALED_OUTGOING_SIZE) {
		throw new ZkProofValidateError("Cout or CEnc size error");
	}
	for (const part of [value_commitment, note_commitment, epk]) checkLength(part, KEY_SIZE);
	checkLength(zkproof, PROOF_SIZE);
	const holds = proofs.holdsOutput({
		noteCommitment: note_commitment,
		valueCommitment: value_commitment,
		ephemeralKey: epk,
		proof: zkproof,
	});
	if (!holds) throw new ZkProofValidateError("librustzcashSaplingCheckOutput error");
}

function takeFrom(state: StateView, address: Uint8Array, token: Uint8Array, amount: bigint): void {
	const account = Account.copy(state.account.existing(address));
	if (!takeToken(state, account, token, amount)) {
		throw new ContractExecuteError(`reduceAssetAmount failed! account: ${toBase58Check(address)}`);
	}
	state.account.put(address, account);
}

function giveTo(state: StateView, address: Uint8Array, token: Uint8Array, amount: bigint): void {
	const account = Account.copy(state.account.existing(address));
	executeArithmetic(() => addToken(state, account, token, amount));
	state.account.put(address, account);
}

function growTree(state: StateView, { trees }: ShieldedPool, notes: readonly Uint8Array[]): void {
	try {
		appendNotes(state, trees, notes);
	} catch (error) {
		if (error instanceof ShieldedError) throw new ContractExecuteError(error.message);
		throw error;
	}
}

function takeFromPool(state: StateView, contract: ShieldedTransferContract, fee: bigint): void {
	const left = executeArithmetic(() =>
		checkedSub(state.properties.get("TOTAL_SHIELDED_POOL_VALUE"), balanceOf(contract, fee)),
	);
	if (left < 0n) {
		throw new ContractExecuteError(`total shielded pool value can not below 0, actual: ${left}`);
	}
	state.properties.set("TOTAL_SHIELDED_POOL_VALUE", left);
}
