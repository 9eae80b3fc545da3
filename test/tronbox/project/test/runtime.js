const Pot = artifacts.require("Pot");

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const headNumber = async () => (await tronWeb.trx.getCurrentBlock()).block_header.raw_data.number;

/** What a local runtime offers beyond a network's node, by the tool's own helper. */
contract("the local runtime", (accounts) => {
	const stranger = tronWeb.address.fromHex(`41${"ab".repeat(20)}`);
	// A pot of its own: the tool runs files of tests in any order, and begins none anew.
	let pot;

	before(async () => {
		pot = await Pot.new(1, 1);
	});

	it("sets balances", async () => {
		await tronWrap.send("tre_setAccountBalance", [stranger, 123_000_000]);
		assert.equal(await tronWeb.trx.getBalance(stranger), 123_000_000);
		try {
			await tronWrap.send("tre_setAccountBalance", [stranger, -1]);
			assert.fail("a negative balance was taken");
		} catch (error) {
			assert.include(error.message, "balance can not be less than 0");
		}
	});

	it("sets code", async () => {
		await tronWrap.send("tre_setAccountCode", [stranger, "0x600960005260206000f3"]);
		assert.equal((await tronWeb.trx.getContract(stranger)).name, "CreatedByTre");
	});

	it("sets storage", async () => {
		await tronWrap.send("tre_setAccountStorageAt", [pot.address, "0x0", "0x2a"]);
		assert.equal(await pot.least(), 42n);
	});

	it("lets accounts act without a key", async () => {
		const hex = tronWeb.address.toHex(stranger);
		await tronWrap.send("tre_setAccountCode", [stranger, "0x"]);
		await tronWrap.send("tre_unlockedAccounts", [[hex]]);
		await pot.give("from nobody", { from: stranger, callValue: 50 });
		assert.equal(await pot.given(stranger), 50n);
		const mine = await Pot.new(1, 1, { from: stranger });
		assert.equal(await mine.opener(), hex);
	});

	it("seals one block or many, by hand or by the clock", async () => {
		const before = await headNumber();
		await tronWrap.send("tre_mine");
		await tronWrap.send("tre_mine", [{ blocks: 5 }]);
		assert.equal(await headNumber(), before + 6);
		await tronWrap.send("tre_blockTime", [1]);
		// A busy machine is late, a clock that stands still never comes.
		for (let waited = 0; waited < 40 && (await headNumber()) <= before + 6; waited++) await sleep(250);
		await tronWrap.send("tre_blockTime", [0]);
		const after = await headNumber();
		assert.isAbove(after, before + 6);
		await sleep(1200);
		assert.equal(await headNumber(), after);
	});

	it("traces transactions, and shows storage", async () => {
		const id = await pot.give("to be traced", { from: accounts[1], callValue: 50 });
		const { structLogs, failed } = await tronWrap.send("debug_traceTransaction", [`0x${id}`, {}]);
		assert.isFalse(failed);
		assert.deepInclude(structLogs[0], { pc: 0, op: "PUSH1", depth: 1 });
		const { storage } = await tronWrap.send("debug_storageRangeAt", [0, 0, pot.address, "0x0", 10]);
		assert.include(
			Object.values(storage).map(({ value }) => Number(`0x${value}`)),
			42,
		);
	});
});
