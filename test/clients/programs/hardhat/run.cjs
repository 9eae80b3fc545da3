const { ethers, network } = require("hardhat");

async function main() {
	const { bob, coupon, expect, refused, step, version } = await import("./check.mjs");
	version("hardhat");
	const [signer] = (await step("getSigners", () => ethers.getSigners())) ?? [];
	await step("getBlock", async () => expect((await ethers.provider.getBlock("latest")).hash, "a block"));
	await step("getFeeData", () => ethers.provider.getFeeData());
	await step("getBalance", async () =>
		expect((await ethers.provider.getBalance(signer.address)) > 0n, "coins"),
	);
	await step("sendTransaction", async () => {
		const sent = await signer.sendTransaction({ to: bob.evm, value: 5n });
		expect((await sent.wait()).status === 1, "a receipt");
	});
	const factory = await step("getContractFactory", () =>
		ethers.getContractFactory(coupon.abi, coupon.bytecode, signer),
	);
	const address = await step("a deployment", async () => {
		const transaction = await factory.getDeployTransaction("Coupon", 1000n);
		return (await (await signer.sendTransaction(transaction)).wait()).contractAddress;
	});
	await step("deployContract", async () => {
		const deployed = await ethers.deployContract(coupon.abi, coupon.bytecode, ["Coupon", 5n], { signer });
		expect((await (await deployed.waitForDeployment()).balanceOf(signer.address)) === 5n, "5");
	});
	const contract = await step("getContractAt", () => ethers.getContractAt(coupon.abi, address, signer));
	await step("a call", async () => expect((await contract.balanceOf(signer.address)) === 1000n, "1000"));
	await refused("a revert's reason", /Insufficient|revert/, () =>
		contract.transfer.staticCall(bob.evm, 10n ** 18n),
	);
	await step("a transaction of a contract", async () => {
		expect((await (await contract.transfer(bob.evm, 5)).wait()).logs.length === 1, "a log");
	});
	await step("impersonation", async () => {
		await network.provider.send("hardhat_impersonateAccount", [bob.evm]);
		await (await (await ethers.getSigner(bob.evm)).sendTransaction({ to: signer.address, value: 1n })).wait();
	});
	await step("snapshot and revert", async () => {
		const id = await network.provider.send("evm_snapshot", []);
		await network.provider.send("evm_mine", []);
		expect(await network.provider.send("evm_revert", [id]), "true");
	});
	await step("debug_traceTransaction", async () => {
		const { hash } = await contract.transfer(bob.evm, 1);
		expect((await network.provider.send("debug_traceTransaction", [hash])).structLogs.length > 0, "steps");
	});
}

main().catch((error) => {
	console.log(`not ok the script # ${String(error).slice(0, 200)}`);
	process.exitCode = 1;
});
