import { expect, it } from "vitest";
import { withProof } from "../../../src/commands/wallet/send.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import type { Session } from "../../../src/terminal/sending/session.js";
import { Failure } from "../../../src/wallet/failure.js";
import type { TransactionEnvelope } from "../../../src/wallet/transaction/envelope.js";
import { answering } from "../../wallet/answering-client.js";

it("says that the payment was sent where its proof can't be made, and how to make it", async () => {
	const done: string[] = [];
	const note = (line: string) => done.push(line);
	const plan = {
		beforeSending: async () => void done.push("before"),
		afterwards: async () => void done.push("after"),
	} as never;
	const { client } = answering({ gettransactioninfobyid: {} });
	const proven = withProof({ note } as unknown as Session, client, plan, "never-written.proof");
	const transaction = SignedTransaction.decode(new Uint8Array(0));
	await proven.beforeSending?.({ transaction } as TransactionEnvelope);
	const error: unknown = await proven.afterwards?.().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(Failure);
	const { code, facts } = error as Failure;
	expect({ code, ...facts }).toMatchObject({
		code: "not_found",
		sent: true,
		txID: transaction.idHex,
		hint: `coin tx prove ${transaction.idHex} --out <new file>`,
	});
	expect(done).toEqual(["before", "after"]);
});
