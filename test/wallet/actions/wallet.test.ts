import { expect, test } from "vitest";
import { parseSignature } from "../../../src/wallet/abi/signature.js";
import { callPlan, paidInVain } from "../../../src/wallet/actions/contract-plan.js";
import { notingUnsent, type Transfer, Wallet } from "../../../src/wallet/actions/wallet.js";
import { Failure } from "../../../src/wallet/failure.js";
import { refusalByContract } from "../../../src/wallet/node/constant-call.js";
import { answering } from "../answering-client.js";

test("a payment with a misspelt member isn't made, nor a call with a number that isn't a bigint", async () => {
	const wallet = new Wallet({ node: "http://127.0.0.1:9", privateKey: "01".repeat(32) });
	const payment = { to: wallet.address, amount: "5", toekn: "1000001" } as Transfer;
	await expect(wallet.transfer(payment)).rejects.toMatchObject({
		code: "bad_value",
		facts: { sent: false, hint: "did you mean token?" },
	});
	const { client } = answering({});
	const actor = { client, settings: client.settings, owner: new Uint8Array(21) };
	const call = {
		contract: new Uint8Array(21),
		data: new Uint8Array(4),
		item: undefined,
		items: [],
		texts: [],
	};
	const options = { valueSun: 5 as unknown as bigint, offline: true, feeLimit: "5coin" };
	await expect(callPlan(actor, call, options)).rejects.toThrow("valueSun is not a bigint, such as 5n");
});

test("a program is told options, not flags", async () => {
	const hint = "--fee-limit auto takes the estimate, --force sends it all the same";
	const refused = notingUnsent(() => Promise.reject(new Failure("fee_limit_too_low", "too low", { hint })));
	await expect(refused).rejects.toMatchObject({
		facts: { hint: 'feeLimit: "auto" takes the estimate, force: true sends it all the same', sent: false },
	});
});

test("coins for a function that the interface calls nonpayable are why it refuses without a reason", () => {
	const refused = refusalByContract("", {});
	const transfer = parseSignature("transfer(address,uint256) nonpayable");
	expect(paidInVain(refused, transfer, { valueSun: 5n })).toMatchObject({
		facts: { hint: "transfer is nonpayable by the interface: it takes no coins or tokens" },
	});
	const told = refusalByContract("too late", {});
	expect(paidInVain(told, transfer, { valueSun: 5n })).toBe(told);
	for (const [item, values] of [
		[transfer, {}],
		[parseSignature("f()"), { valueSun: 5n }],
		[parseSignature("f() payable"), { valueSun: 5n }],
	] as const)
		expect(paidInVain(refused, item, values)).toBe(refused);
});
