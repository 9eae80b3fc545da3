import { expect, test } from "vitest";
import { Proposal, ProposalState } from "../../../src/protocol/messages.js";
import { proposalStateText, viewProposal } from "../../../src/wallet/view/proposals.js";

test("a proposal that took effect without an approval says so", () => {
	const text = (approvals: readonly Uint8Array[], state: number = ProposalState.APPROVED) =>
		proposalStateText(viewProposal(Proposal.create({ state, approvals: [...approvals] }), () => undefined));
	expect(text([])).toBe("APPROVED, by nobody: 7/10 of the active witnesses, rounded down, were none");
	expect(text([new Uint8Array(21)])).toBe("APPROVED");
	expect(text([], ProposalState.CANCELED)).toBe("CANCELED");
});
