const Pot = artifacts.require("Pot");

const COIN = 1_000_000;
const word = (hex) => BigInt(`0x${hex}`);

/** The answer of a function that reverts, without its selector. */
async function reverted(id, error) {
	await waitForTransactionReceipt(id);
	const { receipt, contractResult } = await tronWeb.trx.getTransactionInfo(id);
	assert.equal(receipt.result, "REVERT");
	assert.equal(contractResult[0].slice(0, 8), tronWeb.sha3(error, false).slice(0, 8));
	return contractResult[0].slice(8);
}

contract("Pot", (accounts) => {
	const [opener, ann, bob] = accounts;
	let pot;

	before(async () => {
		pot = await Pot.deployed();
	});

	it("is deployed by the first of the funded accounts, with coins", async () => {
		assert.isAtLeast(accounts.length, 3);
		assert.equal(await pot.opener(), tronWeb.address.toHex(opener));
		assert.equal(await tronWeb.trx.getBalance(pot.address), 5);
	});

	it("takes coins of others, and knows their shares by its library", async () => {
		await pot.give("for the roof", { from: ann, callValue: 3 * COIN });
		await pot.give("for the door", { from: bob, callValue: COIN });
		assert.equal(await pot.given(ann), 3n * BigInt(COIN));
		assert.equal(await pot.share(ann), 74n);
		assert.equal(await pot.greet(), 7n);
	});

	it("refuses little with an error of its own, which the receipt holds", async () => {
		const data = await reverted(
			await pot.give("for nothing", { callValue: 5 }),
			"TooLittle(uint256,uint256)",
		);
		assert.equal(word(data.slice(0, 64)), 5n);
		assert.equal(word(data.slice(64)), BigInt(COIN));
	});

	it("tells what it did by events", async () => {
		const id = await pot.give("for the garden", { from: bob, callValue: 2 * COIN });
		const { data } = await tronWeb.event.getEventsByTransactionID(id);
		assert.equal(data[0].event_name, "Given");
		assert.equal(data[0].result.note, "for the garden");
		assert.equal(data[0].result.by, tronWeb.address.toHex(bob).replace(/^41/, "0x"));
	});

	it("is emptied by its opener, once the time has come", async () => {
		await reverted(await pot.empty(bob), "TooEarly(uint256,uint256)");
		const held = await tronWeb.trx.getBalance(pot.address);
		const before = await tronWeb.trx.getBalance(bob);
		await tronWrap.send("evm_increaseTime", [2 * 86_400]);
		await tronWrap.send("tre_mine");
		await waitForTransactionReceipt(await pot.empty(bob));
		assert.equal(await tronWeb.trx.getBalance(bob), before + held);
	});
});
