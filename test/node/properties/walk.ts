/**
 * One random sequence on a small chain, with everything that must hold after each of its steps: transactions conserve
 * what exists, a refused one leaves no trace, blocks pay what the parameters say, sums agree with their parts; a
 * branch that takes over, a replay and an undo lead to the same state, entry by entry.
 */

import { queryReward } from "../../../src/node/resources/vote-rewards.js";
import type { StateView } from "../../../src/node/state/view.js";
import type { SignedBlock } from "../../../src/protocol/block.js";
import { equalBytes, toKey } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import { ProposalApproveContract, ProposalCreateContract } from "../../../src/protocol/messages.js";
import { FIRST_ACTIVE_PERMISSION, OWNER_PERMISSION } from "../../../src/protocol/permission.js";
import { dumpState } from "../chain/recorded-chain.js";
import { Dice } from "./dice.js";
import { activeOrders, anyone, ownersWhere, proposals, witnesses } from "./facts.js";
import { randomParameter } from "./governance-kinds.js";
import { type TransactionKind, transactionKinds } from "./kinds.js";
import { type RewardFacts, rewardFacts, wrongMint } from "./minting.js";
import {
	addresses,
	nameOf,
	type SendOptions,
	type SendOutcome,
	SmallChain,
	type StartingRules,
} from "./small-chain.js";
import { wrongDelegations, wrongVotes, wrongWeights } from "./stake-sums.js";
import { SLOTS_PER_CYCLE, type Step } from "./steps.js";
import { describe } from "./story.js";
import {
	allPots,
	COIN,
	difference,
	type Holdings,
	holdings,
	issuedSupply,
	lostByTradingWithOneself,
	negativeAmounts,
} from "./supply.js";

/** Types that pay out what the owner's votes have earned. */
const DRAWING = new Set([
	"VoteWitnessContract",
	"WithdrawBalanceContract",
	"UnfreezeBalanceContract",
	"UnfreezeBalanceV2Contract",
]);

const kindsByType = new Map(transactionKinds.map((kind) => [kind.type, kind]));

/** How often each type was accepted and refused, for those who want to know what a sequence reaches. */
export class Tally {
	/** By type. */
	readonly accepted = new Map<string, number>();
	/** By type and reason, numbers left out of the reasons. */
	readonly refused = new Map<string, Map<string, number>>();

	count(type: string, outcome: SendOutcome): void {
		if (outcome.kind === "accepted") {
			this.accepted.set(type, (this.accepted.get(type) ?? 0) + 1);
			return;
		}
		const reason = outcome.error.message.replaceAll(/[0-9a-f]*\d[0-9a-f]*/gi, "N");
		const reasons = this.refused.get(type) ?? new Map<string, number>();
		this.refused.set(type, reasons.set(reason, (reasons.get(reason) ?? 0) + 1));
	}
}

/** Something that must hold doesn't; the message tells what happened before. */
export class BrokenProperty extends Error {
	override readonly name = "BrokenProperty";
}

/** Runs a sequence. @throws {BrokenProperty} */
export async function walk(
	rules: StartingRules,
	sequence: readonly Step[],
	tally = new Tally(),
): Promise<void> {
	const walker = new Walker(await SmallChain.open(rules), rules, tally);
	try {
		await walker.run(sequence);
	} catch (error) {
		const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
		throw new BrokenProperty(`${what}\n\nafter:\n${walker.log.join("\n")}`, { cause: error });
	}
}

/** What a transaction brought into being, and how much of it were rewards of its owner's votes. */
interface Created {
	readonly units: Holdings;
	readonly drawn: bigint;
}

class Walker {
	readonly log: string[] = [];
	/** The blocks of the chain, above genesis. */
	private readonly blocks: Uint8Array[];
	/** What existed at the head without the pool, and what its block paid from. */
	private atHead: Holdings;
	private facts: RewardFacts;
	/** What the transactions of the pool brought into being, by id; undefined: some of them were not watched. */
	private created: Map<string, Created> | undefined = new Map();
	/** What voters have drawn by transactions of blocks, as far as these were watched. */
	private drawn = 0n;
	private dump: ReadonlyMap<string, string> | undefined;

	constructor(
		private readonly chain: SmallChain,
		private readonly rules: StartingRules,
		private readonly tally: Tally,
	) {
		const { open } = chain;
		const heights = Array.from({ length: Number(chain.headNumber) }, (_, i) => BigInt(i + 1));
		this.blocks = heights.map((number) => (open.chain.blockByNumber(number) as SignedBlock).bytes);
		this.atHead = this.holdings();
		this.facts = rewardFacts(this.state);
	}

	private get state(): StateView {
		return this.chain.state;
	}

	private holdings(): Holdings {
		return holdings(this.state, this.chain.holders);
	}

	async run(sequence: readonly Step[]): Promise<void> {
		for (const step of sequence) {
			switch (step.do) {
				case "send":
					await this.send(step.type, new Dice(step.dice));
					break;
				case "block":
					this.produce(step.skipped);
					break;
				case "govern":
					await this.govern(new Dice(step.dice));
					break;
				case "branch":
					await this.branch(step.depth);
					break;
			}
		}
		// Until nothing waits: two transactions of one owner may need two blocks.
		do this.produce(0);
		while (this.chain.open.chain.pool.size > 0);
		await this.replayAndUndo();
	}

	private async send(type: string, dice: Dice): Promise<void> {
		const kind = kindsByType.get(type) as TransactionKind;
		const owner = kind.owners
			? dice.orElse(kind.owners(this.state), addresses)
			: dice.prefer(ownersWhere(this.state, anyone), addresses);
		// No account for which it makes sense.
		if (!owner) return;
		const contract = kind.build(this.state, owner, dice);
		const hasActive = (this.state.account.get(owner)?.active_permission.length ?? 0) > 0;
		const options = dice.once(15)
			? { signers: [dice.pick(addresses) as Uint8Array] }
			: {
					permissionId: hasActive && dice.once(3) ? FIRST_ACTIVE_PERMISSION : OWNER_PERMISSION,
					...(dice.once(10) ? { memo: Uint8Array.of(1) } : {}),
				};
		await this.sendContract(type, owner, contract, options);
	}

	private async sendContract(
		type: string,
		owner: Uint8Array,
		contract: Message,
		options: SendOptions = {},
	): Promise<SendOutcome> {
		const { state } = this;
		const before = this.holdings();
		this.dump ??= await dumpState(this.chain.open);
		const tokens = issuedSupply(state);
		const reward = queryReward(state, owner) - (state.account.get(owner)?.allowance ?? 0n);
		const promised = state.properties.on("CHANGE_DELEGATION") && DRAWING.has(type) ? reward : 0n;
		const ownOrders = activeOrders(state).filter((order) => equalBytes(order.owner_address, owner));

		const outcome = this.chain.send(type, contract, options);
		this.tally.count(type, outcome);
		this.log.push(describe(type, owner, contract, outcome));
		if (outcome.kind === "refused") {
			const dump = await dumpState(this.chain.open);
			expectSame(this.dump, dump, "a refused transaction changed the state");
			return outcome;
		}
		this.dump = undefined;
		const expected = new Map(lostByTradingWithOneself(state, outcome.info, ownOrders));
		expected.set(COIN, (expected.get(COIN) ?? 0n) + promised);
		for (const [id, supply] of issuedSupply(state)) {
			if (!tokens.has(id)) expected.set(id, (expected.get(id) ?? 0n) + supply);
		}
		const created = difference(before, this.holdings());
		expectSame(difference(new Map(), expected), created, "a transaction did not conserve what exists");
		this.created?.set(outcome.transaction.idHex, { units: created, drawn: promised });
		this.checkSums();
		return outcome;
	}

	private produce(skipped: number): void {
		const { created, facts, atHead } = this;
		const { block } = this.chain.produce(skipped);
		this.dump = undefined;
		this.log.push(`block ${block.number} of ${nameOf(block.witness)}, ${skipped} slots skipped`);
		this.blocks.push(block.bytes);
		if (created && block.transactions.length === created.size) {
			const expected = new Map(atHead);
			for (const { idHex } of block.transactions) {
				const { units, drawn } = created.get(idHex) as Created;
				for (const [id, count] of units) expected.set(id, (expected.get(id) ?? 0n) + count);
				this.drawn += drawn;
			}
			const minted = new Map(difference(expected, this.holdings()));
			const wrong = wrongMint(facts, this.state, minted.get(COIN) ?? 0n);
			if (wrong) throw new Error(wrong);
			minted.delete(COIN);
			expectSame(new Map(), minted, "a block did not conserve tokens");
		}
		this.startFromHead();
	}

	private startFromHead(): void {
		this.facts = rewardFacts(this.state);
		this.atHead = this.holdings();
		this.checkSums();
		const earned = allPots(this.state);
		if (this.drawn > earned) throw new Error(`voters drew ${this.drawn} sun of ${earned}`);
		this.chain.executeWaiting();
		this.created = this.chain.open.chain.pool.size === 0 ? new Map() : undefined;
	}

	private async govern(dice: Dice): Promise<void> {
		const [proposer] = witnesses(this.state);
		const parameters = randomParameter(this.state, dice);
		const owner = proposer as Uint8Array;
		const proposal = ProposalCreateContract.create({ owner_address: owner, parameters });
		const outcome = await this.sendContract("ProposalCreateContract", owner, proposal);
		if (outcome.kind === "refused") return;
		this.produce(0);
		const newest = proposals(this.state).at(-1);
		if (!newest) return;
		for (const witness of witnesses(this.state)) {
			const approval = ProposalApproveContract.create({
				owner_address: witness,
				proposal_id: newest.proposal_id,
				is_add_approval: true,
			});
			await this.sendContract("ProposalApproveContract", witness, approval);
		}
		this.produce(0);
		this.produce(2 * SLOTS_PER_CYCLE);
		this.produce(SLOTS_PER_CYCLE);
	}

	/** A twin that stands on the same block makes a branch that is longer by one block. */
	private async branch(depth: number): Promise<void> {
		const twin = await this.replayed();
		const { drawn } = this;
		for (let i = 0; i < depth; i++) this.produce(0);
		this.blocks.splice(-depth);
		for (let i = 0; i <= depth; i++) this.blocks.push(twin.produce(1).block.bytes);
		for (const bytes of this.blocks.slice(-depth - 1)) this.chain.follow(bytes);
		this.log.push(`a branch of ${depth + 1} blocks replaces ${depth}`);
		this.dump = undefined;
		if (this.chain.headNumber !== twin.headNumber) throw new Error("the longer branch is not the chain");
		const [ours, theirs] = [await dumpState(this.chain.open), await dumpState(twin.open)];
		expectSame(theirs, ours, "a branch left another state than its blocks");
		this.drawn = drawn;
		this.startFromHead();
	}

	private async replayed(onBlock?: (twin: SmallChain) => Promise<void>): Promise<SmallChain> {
		const twin = await this.chain.twin();
		for (const bytes of this.blocks) {
			twin.follow(bytes);
			await onBlock?.(twin);
		}
		return twin;
	}

	private async replayAndUndo(): Promise<void> {
		const kept = new Map<bigint, ReadonlyMap<string, string>>();
		const from = this.chain.headNumber - 6n;
		const twin = await this.replayed(async (each) => {
			if (each.headNumber > from) kept.set(each.headNumber, await dumpState(each.open));
		});
		const replayed = kept.get(twin.headNumber) as ReadonlyMap<string, string>;
		expectSame(await dumpState(this.chain.open), replayed, "a replay gave another state");
		const { database } = twin.open;
		for (let number = twin.headNumber; number > from + 1n && database.undoable > 0; number--) {
			database.undoBlock();
			const before = kept.get(number - 1n) as ReadonlyMap<string, string>;
			expectSame(before, await dumpState(twin.open), `undoing block ${number} gave another state`);
		}
	}

	private checkSums(): void {
		const { state } = this;
		const removed = state.properties.get("REMOVE_THE_POWER_OF_THE_GR") === -1n;
		const given = new Map(
			this.chain.open.rules.genesisWitnesses.map(({ address, votes }) => [toKey(address), votes]),
		);
		const wrong = [
			...negativeAmounts(state, this.chain.holders),
			...wrongDelegations(state),
			...wrongVotes(state, (witness) => (removed ? 0n : (given.get(toKey(witness)) ?? 0n))),
			...(this.rules.committee.allowNewReward === 1n ? wrongWeights(state) : []),
		];
		if (wrong.length > 0) throw new Error(wrong.join("\n"));
	}
}

function expectSame<V>(expected: ReadonlyMap<string, V>, found: ReadonlyMap<string, V>, what: string): void {
	const keys = [...new Set([...expected.keys(), ...found.keys()])];
	const differing = keys.filter((key) => expected.get(key) !== found.get(key));
	if (differing.length === 0) return;
	const lines = differing.map((key) => `${key}: expected ${expected.get(key)}, found ${found.get(key)}`);
	throw new Error([what, ...lines].join("\n"));
}
