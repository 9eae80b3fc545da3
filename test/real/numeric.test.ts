/** Numbers of public chains: powers of exchanges, recovery of energy, a tree of notes, a proof. */

import { describe, expect, it } from "vitest";
import { historicalPow } from "../../src/node/exchange/historical-pow.js";
import { stakedEnergyLeft } from "../../src/node/resources/energy.js";
import { accountIncrease, increase, windowSlots } from "../../src/node/resources/window.js";
import { compiledGroth16 } from "../../src/node/shielded/groth16-compiled.js";
import { readVerifyingKey } from "../../src/node/shielded/verifying-key.js";
import { be64, fromHex, toHex } from "../../src/protocol/bytes.js";
import {
	Account,
	AccountAccountResource,
	AccountFrozen,
	ProposalCreateContract,
} from "../../src/protocol/messages.js";
import {
	appendLeaf,
	EMPTY_NOTE_TREE,
	type NoteTree,
	treeRoot,
} from "../../src/protocol/sapling/incremental-tree.js";
import { decodePoint, readField } from "../../src/protocol/sapling/jubjub.js";
import { address, openState, setHead } from "../node/consensus/chain-state.js";
import { run } from "../node/contracts/contract-chain.js";
import { emptyState } from "../node/vm/machine-fixture.js";
import { expectCount, facts } from "./facts.js";

function double(bits: string): number {
	return Buffer.from(bits.padStart(16, "0"), "hex").readDoubleBE();
}

describe("numbers of public chains", () => {
	it("powers that exchanges used before the strict ones", () => {
		const { exponent, rows } = facts<{ exponent: number; rows: [x: string, result: string][] }>(
			"numeric/exchange-power.json",
		);
		expectCount(rows.length, 48);
		for (const [x, result] of rows) expect(historicalPow(double(x), exponent)).toBe(double(result));
	});

	it("usage after slots of a window", async () => {
		type Row = Readonly<Record<"used" | "add" | "from" | "to" | "window" | "result", number>>;
		const { properties } = await emptyState();
		const { recovery } = facts<{ recovery: Row[] }>("numeric/energy.json");
		for (const row of recovery) {
			const [used, add, from, to, window] = [row.used, row.add, row.from, row.to, row.window].map(BigInt);
			const args = [used, add, from, to, window] as [bigint, bigint, bigint, bigint, bigint];
			expect(increase(properties, ...args)).toBe(BigInt(row.result));
		}
	});

	it("energy that is charged before an execution, and the window that it leaves", async () => {
		type Row = Readonly<
			Record<
				| "feeLimit"
				| "energyFee"
				| "charged"
				| "totalWeight"
				| "totalLimit"
				| "usage"
				| "window"
				| "at"
				| "now",
				number
			>
		> & {
			readonly frozen: string;
			readonly unfreezeDelayDays: number;
			readonly expected: { readonly usage: number; readonly window: number };
		};
		const { properties } = await emptyState();
		for (const row of facts<{ beforehand: Row[] }>("numeric/energy.json").beforehand) {
			expect(Math.trunc(row.feeLimit / row.energyFee)).toBe(row.charged);
			properties.set("UNFREEZE_DELAY_DAYS", BigInt(row.unfreezeDelayDays));
			properties.set("TOTAL_ENERGY_WEIGHT", BigInt(row.totalWeight));
			properties.set("TOTAL_ENERGY_CURRENT_LIMIT", BigInt(row.totalLimit));
			const account = Account.create({
				account_resource: AccountAccountResource.create({
					energy_usage: BigInt(row.usage),
					energy_window_size: BigInt(row.window),
					latest_consume_time_for_energy: BigInt(row.at),
					frozen_balance_for_energy: AccountFrozen.create({ frozen_balance: BigInt(row.frozen) }),
				}),
			});
			expect(stakedEnergyLeft(properties, account)).toBeGreaterThan(BigInt(row.charged));
			const [usage, charged, at, now] = [row.usage, row.charged, row.at, row.now].map(BigInt) as [
				bigint,
				bigint,
				bigint,
				bigint,
			];
			const after = accountIncrease(properties, account, "energy", usage, charged, at, now);
			expect([after, windowSlots(account, "energy")]).toEqual(
				[row.expected.usage, row.expected.window].map(BigInt),
			);
		}
	});

	it("what transactions leave a contract's owner of its energy", async () => {
		interface Owner {
			readonly frozen: string;
			readonly totalWeight: number;
			readonly totalLimit: number;
			readonly usage: number;
			readonly left: number;
			readonly transactions: readonly number[];
			readonly expected: { readonly usage: number; readonly left: number };
		}
		const { properties } = await emptyState();
		for (const owner of facts<{ origin: Owner[] }>("numeric/energy.json").origin) {
			properties.set("TOTAL_ENERGY_WEIGHT", BigInt(owner.totalWeight));
			properties.set("TOTAL_ENERGY_CURRENT_LIMIT", BigInt(owner.totalLimit));
			const left = (energy_usage: bigint) => {
				const frozen_balance_for_energy = AccountFrozen.create({ frozen_balance: BigInt(owner.frozen) });
				const account_resource = AccountAccountResource.create({ energy_usage, frozen_balance_for_energy });
				return stakedEnergyLeft(properties, Account.create({ account_resource }));
			};
			expect(left(BigInt(owner.usage))).toBe(BigInt(owner.left));
			const usage = owner.transactions.reduce(
				(used, energy) => increase(properties, used, BigInt(energy), 0n, 0n),
				BigInt(owner.usage),
			);
			expect([usage, left(usage)]).toEqual([owner.expected.usage, owner.expected.left].map(BigInt));
		}
	});

	it("when a proposal ends", async () => {
		type Row = Readonly<
			Record<"created" | "proposalExpireTime" | "nextMaintenance" | "interval" | "expires", number>
		>;
		for (const row of facts<{ expiry: Row[] }>("numeric/proposals.json").expiry) {
			const state = await openState(1);
			const owner_address = address(0);
			state.account.put(owner_address, Account.create({ address: owner_address }));
			setHead(state, 100n, BigInt(row.created));
			state.properties.set("PROPOSAL_EXPIRE_TIME", BigInt(row.proposalExpireTime));
			state.properties.set("NEXT_MAINTENANCE_TIME", BigInt(row.nextMaintenance));
			state.properties.set("MAINTENANCE_TIME_INTERVAL", BigInt(row.interval));
			const parameters = new Map([[9n, 1n]]);
			run(state, "ProposalCreateContract", ProposalCreateContract.create({ owner_address, parameters }));
			expect(state.proposal.get(be64(1n))?.expiration_time).toBe(BigInt(row.expires));
		}
	});

	it("the root of a shielded contract's tree", () => {
		const { depth, commitments, root } = facts<{ depth: number; commitments: string[]; root: string }>(
			"numeric/note-tree.json",
		);
		const tree = commitments.reduce<NoteTree>(
			(grown, leaf) => appendLeaf(grown, fromHex(leaf)),
			EMPTY_NOTE_TREE,
		);
		expect(toHex(treeRoot(tree, depth))).toBe(root);
	});

	it("an output proof under the network's own key", async () => {
		const given =
			facts<
				Readonly<
					Record<"verifyingKey" | "noteCommitment" | "valueCommitment" | "ephemeralKey" | "proof", string>
				>
			>("numeric/output-proof.json");
		const check = (await compiledGroth16()).prepare(readVerifyingKey(fromHex(given.verifyingKey), 5));
		const [cv, epk] = [given.valueCommitment, given.ephemeralKey].map((hex) =>
			decodePoint(fromHex(hex))?.toAffine(),
		);
		if (!cv || !epk) throw new Error("not points");
		const inputs = [cv.x, cv.y, epk.x, epk.y, readField(fromHex(given.noteCommitment)) ?? 0n];
		const proof = fromHex(given.proof);
		expect(check(proof, inputs)).toBe(true);
		expect(check(proof, [...inputs.slice(0, 4), (inputs[4] as bigint) + 1n])).toBe(false);
	});
});
