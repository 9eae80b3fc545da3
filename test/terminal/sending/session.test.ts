import { expect, test } from "vitest";
import { explained, type Session } from "../../../src/terminal/sending/session.js";
import { Failure } from "../../../src/wallet/failure.js";

const [FIRST, SECOND, THIRD] = ["01", "02", "03"].map((byte) => byte.repeat(32));

test("a refusal after others were sent names those, and the refused one apart from them", () => {
	const session = { sentIds: [FIRST, SECOND], acting: undefined } as unknown as Session;
	const refused = new Failure("threshold_not_reached", "1 is missing", { txID: THIRD as string });
	expect(explained(session, refused)).toMatchObject({
		message: "1 is missing; 2 transactions were sent before",
		retry: "changed",
		facts: { sent: true, txID: SECOND, details: { txID: THIRD, sentBefore: 2, sentIds: [FIRST, SECOND] } },
	});
});

test("a refusal of the first says that nothing was sent, of its own transaction", () => {
	const session = { sentIds: [], acting: undefined } as unknown as Session;
	const refused = new Failure("threshold_not_reached", "1 is missing", { txID: THIRD as string });
	expect(explained(session, refused).facts).toEqual({ sent: false, txID: THIRD });
});
