import { describe, expect, it } from "vitest";
import type { ContractModule } from "../../../src/node/contracts/contract.js";
import { proposalApprove, proposalCreate, proposalDelete } from "../../../src/node/contracts/proposals.js";
import { ContractValidateError } from "../../../src/node/rules/errors.js";
import { ForkGates } from "../../../src/node/rules/fork-gates.js";
import type { StateView } from "../../../src/node/state/view.js";
import { be64, toHex } from "../../../src/protocol/bytes.js";
import type { Message } from "../../../src/protocol/codec/descriptor.js";
import {
	Account,
	type Proposal,
	ProposalApproveContract,
	ProposalCreateContract,
	ProposalDeleteContract,
	ProposalState,
	TransactionResult,
} from "../../../src/protocol/messages.js";
import { address, openState, rules, setHead } from "../consensus/chain-state.js";

const NEXT_MS = 1_700_006_400_000n;
const NOW_MS = 1_700_000_000_000n;
const PLAIN = 9;

/** Witnesses 0 and 1 with accounts, account 9 that is not a witness; now and maintenance as in protocol/parameters §1.1. */
async function open(): Promise<StateView> {
	const state = await openState(2);
	for (const i of [0, 1, PLAIN]) state.account.put(address(i), Account.create({ address: address(i) }));
	setHead(state, 100n, NOW_MS);
	state.properties.set("NEXT_MAINTENANCE_TIME", NEXT_MS);
	state.properties.set("MAINTENANCE_TIME_INTERVAL", 21_600_000n);
	return state;
}

function run(state: StateView, module: ContractModule, contract: Message): string {
	const context = {
		state,
		rules,
		forks: new ForkGates(state, rules),
		contract,
		transactionId: new Uint8Array(32),
		building: false,
	};
	try {
		module.validate(context);
	} catch (error) {
		if (error instanceof ContractValidateError) return error.message;
		throw error;
	}
	module.execute(context, new TransactionResult());
	return "";
}

const create = (state: StateView, owner: number, parameters: [bigint, bigint][] = [[1n, 5n]]) =>
	run(
		state,
		proposalCreate,
		ProposalCreateContract.create({ owner_address: address(owner), parameters: new Map(parameters) }),
	);
const approve = (state: StateView, owner: number, id: bigint, add = true) =>
	run(
		state,
		proposalApprove,
		ProposalApproveContract.create({
			owner_address: address(owner),
			proposal_id: id,
			is_add_approval: add,
		}),
	);
const remove = (state: StateView, owner: number, id: bigint) =>
	run(
		state,
		proposalDelete,
		ProposalDeleteContract.create({ owner_address: address(owner), proposal_id: id }),
	);
const proposal = (state: StateView, id: bigint) => state.proposal.get(be64(id)) as Readonly<Proposal>;
const hex = (i: number) => toHex(address(i));

describe("a proposal", () => {
	it("expires at the first maintenance after its whole time", async () => {
		const state = await open();
		expect(create(state, 0)).toBe("");
		expect(proposal(state, 1n)).toMatchObject({
			proposal_id: 1n,
			create_time: NOW_MS,
			expiration_time: 1_700_265_600_000n,
			approvals: [],
			state: ProposalState.PENDING,
		});
		expect(state.properties.get("LATEST_PROPOSAL_NUM")).toBe(1n);
	});

	it.each([
		[1n, 1_700_028_000_000n],
		[31_536_002_999n, 1_731_542_400_000n],
		[31_536_003_000n, 1_700_265_600_000n],
	])("lives as long as #92 says, %i, where that is in range", async (life, expiration) => {
		const state = await open();
		state.properties.set("PROPOSAL_EXPIRE_TIME", life);
		expect(create(state, 0)).toBe("");
		expect(proposal(state, 1n).expiration_time).toBe(expiration);
	});

	it.each<[string, number, [bigint, bigint][], string]>([
		["of an account that isn't there", 55, [[1n, 5n]], `Account[${hex(55)}] not exists`],
		["of no witness", PLAIN, [[1n, 5n]], `Witness[${hex(PLAIN)}] not exists`],
		["without parameters", 0, [], "This proposal has no parameter."],
		[
			"with an unknown number",
			0,
			[
				[1n, 5n],
				[999n, 0n],
			],
			"Does not support code : 999",
		],
	])("%s is refused", async (_what, owner, parameters, text) => {
		expect(create(await open(), owner, parameters)).toBe(text);
	});

	it("collects approvals and gives them back", async () => {
		const state = await open();
		create(state, 0);
		expect(approve(state, 1, 1n)).toBe("");
		expect(approve(state, 0, 1n)).toBe("");
		expect(proposal(state, 1n).approvals.map(toHex)).toEqual([hex(1), hex(0)]);
		expect(approve(state, 1, 1n)).toBe(`Witness[${hex(1)}]has approved proposal[1] before`);
		expect(approve(state, 1, 1n, false)).toBe("");
		expect(proposal(state, 1n).approvals.map(toHex)).toEqual([hex(0)]);
		expect(approve(state, 1, 1n, false)).toBe(`Witness[${hex(1)}]has not approved proposal[1] before`);
	});

	it("can be deleted by its proposer alone", async () => {
		const state = await open();
		create(state, 0);
		expect(remove(state, 1, 1n)).toBe(`Proposal[1] is not proposed by ${hex(1)}`);
		expect(remove(state, 0, 2n)).toBe("Proposal[2] not exists");
		expect(remove(state, 0, 1n)).toBe("");
		expect(proposal(state, 1n).state).toBe(ProposalState.CANCELED);
		expect(remove(state, 0, 1n)).toBe("Proposal[1] canceled");
		expect(approve(state, 1, 1n)).toBe("Proposal[1] canceled");
	});

	it("is closed at its expiration", async () => {
		const state = await open();
		create(state, 0);
		setHead(state, 200n, proposal(state, 1n).expiration_time);
		expect(approve(state, 1, 1n)).toBe("Proposal[1] expired");
		expect(remove(state, 0, 1n)).toBe("Proposal[1] expired");
	});
});
