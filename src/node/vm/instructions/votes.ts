/** Voting and reward operations (protocol/network-operations §5). */

import { toKey } from "../../../protocol/bytes.js";
import { byteStringHash, hashOrder } from "../../../protocol/hash-order.js";
import { MAX_INT64, SUN_PER_COIN } from "../../../protocol/int64.js";
import { Account, Vote } from "../../../protocol/messages.js";
import { machineRewards, withdrawReward } from "../../resources/vote-rewards.js";
import { replaceVotes, resourcePower, votingPower } from "../../resources/votes.js";
import { toAddress } from "../addresses.js";
import { attempt, note, readAmountOperand, require, requireWritable } from "../attempt.js";
import type { Frame } from "../frame.js";
import { votesText } from "../internal-transactions.js";
import type { Machine } from "../machine.js";
import { checkCeiling, operandEnd } from "../memory.js";
import { checkTime } from "../precompiles/precompile.js";
import { executionFailed } from "../vm-error.js";
import { MAX_INT32, sat32, toWord, type Word } from "../word.js";

const VOTE_COST = 30_000;
const MAX_VOTES = 30;
const WORD_SIZE = 32;

/** Votes read between two checks of the clock. */
const VOTES_BETWEEN_LOOKS = 256;

/** Energy of a vote. Since #81 the arrays' length words count too; before #96, array sizes wrap as words. */
export function voteCost(frame: Frame, name: string): number {
	const { gates } = frame.machine;
	const header = gates.osaka || gates.energyAdjustment ? 32n : 0n;
	const end = (length: Word, offset: Word): number => {
		const size = BigInt(length) * 32n + header;
		return operandEnd(offset, gates.osaka ? size : toWord(size));
	};
	const amounts = end(frame.peek(0), frame.peek(1));
	const witnesses = end(frame.peek(2), frame.peek(3));
	return VOTE_COST + frame.memoryCost(Math.max(amounts, witnesses), name);
}

export function voteWitness(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const amountLength = sat32(frame.pop());
	const amountOffset = sat32(frame.pop());
	const witnessLength = sat32(frame.pop());
	const witnessOffset = sat32(frame.pop());
	const record = note(frame, new Uint8Array(0), "voteWitness", { value: 0n });
	if (
		loadLength(frame, witnessOffset) !== witnessLength ||
		loadLength(frame, amountOffset) !== amountLength
	) {
		throw executionFailed("TVM VoteWitness: memory array length do not match length parameter!");
	}
	if (witnessLength !== amountLength) {
		frame.push(0);
		return;
	}
	attempt(frame, () => {
		const entries: Vote[] = [];
		const reject = (condition: boolean): void => {
			if (!condition) record.rejected = true;
			require(condition);
		};
		reject(isArray(witnessOffset, witnessLength) && isArray(amountOffset, amountLength));
		// The network copies both arrays out of memory before validating them, so memory grows even if the vote is rejected.
		for (const offset of witnessLength > 0 ? [witnessOffset, amountOffset] : []) {
			frame.memory.expand(offset + WORD_SIZE * (witnessLength + 1));
		}
		// Too many votes fail anyway; reading them all matters only if internal transactions are listed.
		if (!machine.internal.isListed) reject(witnessLength <= MAX_VOTES);
		try {
			for (let i = 0; i < witnessLength; i++) {
				if (i % VOTES_BETWEEN_LOOKS === 0) checkTime(machine, "VOTEWITNESS");
				const witness = toAddress(loadElement(frame, witnessOffset, i));
				const count = readAmountOperand(loadElement(frame, amountOffset, i));
				entries.push(Vote.create({ vote_address: witness, vote_count: count }));
			}
			if (machine.internal.isListed) record.extra = votesText(entries);
			castVotes(machine, context.address, entries);
		} catch (error) {
			record.rejected = true;
			throw error;
		}
		return 1;
	});
}

/** The length word before an array's elements. */
function loadLength(frame: Frame, offset: number): number {
	checkCeiling(frame.memory, offset, WORD_SIZE);
	frame.memory.expand(offset + WORD_SIZE);
	return sat32(frame.memory.loadFarWord(offset));
}

function isArray(offset: number, length: number): boolean {
	return offset + WORD_SIZE <= MAX_INT32 && length * WORD_SIZE <= MAX_INT32;
}

function loadElement(frame: Frame, offset: number, index: number): Word {
	return frame.memory.loadFarWord(offset + WORD_SIZE * (index + 1));
}

/** Replaces a contract's votes, summing votes for the same witness. */
function castVotes({ state, gates }: Machine, address: Uint8Array, entries: readonly Vote[]): void {
	require(entries.length <= MAX_VOTES);
	withdrawReward(state, address, machineRewards);
	const owner = Account.copy(state.account.existing(address));
	const byWitness = new Map<string, Vote>();
	let sum = 0n;
	for (const entry of entries) {
		require(state.witness.has(entry.vote_address) && entry.vote_count >= 0n);
		if (entry.vote_count === 0n) continue;
		sum += entry.vote_count;
		require(sum <= MAX_INT64);
		const key = toKey(entry.vote_address);
		const earlier = byWitness.get(key)?.vote_count ?? 0n;
		byWitness.set(
			key,
			Vote.create({ vote_address: entry.vote_address, vote_count: earlier + entry.vote_count }),
		);
	}
	const needed = sum * SUN_PER_COIN;
	require(needed <= MAX_INT64);
	require(needed <= (gates.freezeV2 ? votingPower(state.properties, owner) : resourcePower(owner)));
	const order = hashOrder([...byWitness.keys()], byteStringHash);
	replaceVotes(
		state,
		owner,
		order.map((key) => byWitness.get(key) as Vote),
	);
	state.account.put(address, owner);
}

/** WITHDRAWREWARD: moves the contract's reward into its balance. */
export function withdrawRewards(frame: Frame): void {
	requireWritable(frame);
	const { machine, context } = frame;
	const { state, options } = machine;
	attempt(frame, () => {
		const record = note(frame, context.address, "withdrawReward", { value: 0n });
		const key = toKey(context.address);
		require(!options.rules.genesisWitnesses.some((witness) => toKey(witness.address) === key));
		withdrawReward(state, context.address, machineRewards);
		const owner = Account.copy(state.account.existing(context.address));
		const { allowance } = owner;
		if (allowance <= 0n) return 0;
		require(owner.balance + allowance <= MAX_INT64);
		owner.balance += allowance;
		owner.allowance = 0n;
		owner.latest_withdraw_time = withdrawTimeMs(machine);
		state.account.put(context.address, owner);
		record.value = allowance;
		return toWord(allowance);
	});
}

/** Timestamp of a withdrawal: the block's, in whole seconds. */
export function withdrawTimeMs({ options }: Machine): bigint {
	return (options.block.timestampMs / 1000n) * 1000n;
}
