import { describe, expect, it } from "vitest";
import { processProposals } from "../../../src/node/consensus/proposals.js";
import { ForkGates } from "../../../src/node/rules/fork-gates.js";
import type { StateView } from "../../../src/node/state/view.js";
import { be64 } from "../../../src/protocol/bytes.js";
import { Proposal, ProposalState } from "../../../src/protocol/messages.js";
import { address, openState, rules } from "./chain-state.js";

const MAINTENANCE_MS = 50_000n;

interface Row {
	readonly expires?: bigint;
	readonly approvals?: readonly number[];
	readonly state?: number;
	readonly fee?: bigint;
}

/** Decides on proposals 1, 2, ... over `count` active witnesses; gives their states. */
async function decide(count: number, rows: readonly Row[]): Promise<[readonly number[], StateView]> {
	const state = await openState(count);
	state.properties.set("NEXT_MAINTENANCE_TIME", MAINTENANCE_MS);
	state.properties.set("LATEST_PROPOSAL_NUM", BigInt(rows.length));
	for (const [i, row] of rows.entries()) {
		state.proposal.put(
			be64(BigInt(i + 1)),
			Proposal.create({
				proposal_id: BigInt(i + 1),
				expiration_time: row.expires ?? MAINTENANCE_MS,
				approvals: (row.approvals ?? []).map(address),
				state: row.state ?? ProposalState.PENDING,
				parameters: new Map([[4n, row.fee ?? 0n]]),
			}),
		);
	}
	processProposals(state, new ForkGates(state, rules));
	return [rows.map((_, i) => state.proposal.get(be64(BigInt(i + 1)))?.state ?? -1), state];
}

const first = (count: number) => Array.from({ length: count }, (_, i) => i);
const { PENDING, DISAPPROVED, APPROVED, CANCELED } = ProposalState;

describe("processing proposals", () => {
	it.each([
		[27, 17, DISAPPROVED],
		[27, 18, APPROVED],
		[10, 6, DISAPPROVED],
		[10, 7, APPROVED],
		[5, 3, APPROVED],
		[2, 0, DISAPPROVED],
		[2, 1, APPROVED],
		[1, 0, APPROVED],
	])("with %i active witnesses and %i approvals gives state %i", async (count, approvals, expected) => {
		const [states] = await decide(count, [{ approvals: first(approvals) }]);
		expect(states).toEqual([expected]);
	});

	it("counts only approvals of active witnesses", async () => {
		const [states] = await decide(5, [{ approvals: [0, 1, 77] }]);
		expect(states).toEqual([DISAPPROVED]);
	});

	it("leaves a proposal open whose time ends after the scheduled maintenance", async () => {
		const [states] = await decide(1, [{ expires: MAINTENANCE_MS + 1n }]);
		expect(states).toEqual([PENDING]);
	});

	it("passes over cancelled ones and stops at a decided one", async () => {
		const [states] = await decide(1, [{}, { state: APPROVED }, {}, { state: CANCELED }, {}]);
		expect(states).toEqual([PENDING, APPROVED, APPROVED, CANCELED, APPROVED]);
	});

	it("applies the oldest last", async () => {
		const [, state] = await decide(1, [{ fee: 11n }, { fee: 22n }]);
		expect(state.properties.get("ASSET_ISSUE_FEE")).toBe(11n);
	});

	it("applies nothing of a refused one", async () => {
		const [, state] = await decide(5, [{ fee: 11n }]);
		expect(state.properties.get("ASSET_ISSUE_FEE")).toBe(1_024_000_000n);
	});
});
