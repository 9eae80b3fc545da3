import { expect, it } from "vitest";
import { fromHex } from "../../../src/protocol/bytes.js";
import { SignedTransaction } from "../../../src/protocol/transaction.js";
import { viewTransaction } from "../../../src/wallet/transaction/transaction-view.js";
import { facts } from "../../real/facts.js";

interface ChainTransaction {
	readonly id: string;
	readonly bytes?: string;
}

const { chain } = facts<{ chain: ChainTransaction[] }>("transactions.json.br");

it("shows what public chains hold, other fields under the numbers of Nile's signatures too", async () => {
	const whole = chain.filter(({ bytes }) => bytes);
	expect(whole.length).toBeGreaterThan(0);
	for (const { id, bytes = "" } of whole)
		expect(await viewTransaction(SignedTransaction.decode(fromHex(bytes)))).toMatchObject({ txID: id });
});
