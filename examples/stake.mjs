// Staking: a plan says what is to happen, the wallet does the rest.

import assert from "node:assert/strict";
import { startDevelopmentChain } from "coin/node";
import { ResourceCode } from "coin/protocol";
import { Failure, stakePlan, Wallet } from "coin/wallet";

const chain = await startDevelopmentChain({ accounts: 1, balance: "1000coin" });
try {
	const wallet = new Wallet({
		node: chain.url,
		dialect: "deployed",
		privateKey: chain.accounts[0].privateKey,
	});
	const actor = await wallet.actor();
	const stake = (coins) => stakePlan(actor, { amountSun: coins * 1_000_000n, resource: ResourceCode.ENERGY });

	const sent = await wallet.perform(stake(500n));
	const { result } = await sent.wait();
	console.log(`staked: ${result}`);

	// What is refused says why, with a code for programs.
	await assert.rejects(wallet.perform(stake(5_000n)), (error) => {
		assert.ok(error instanceof Failure);
		console.log(`${error.code}: ${error.message}`);
		return true;
	});
} finally {
	await chain.stop();
}
