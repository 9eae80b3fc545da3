// Starts a development chain, pays somebody, and waits until the payment is irreversible.

import assert from "node:assert/strict";
import { startDevelopmentChain } from "coin/node";
import { formatCoin, Wallet } from "coin/wallet";

const chain = await startDevelopmentChain({ accounts: 2 });
try {
	const [ann, bob] = chain.accounts;
	const wallet = new Wallet({ node: chain.url, dialect: "deployed", privateKey: ann.privateKey });
	const before = await wallet.balanceSun(bob.address);

	const sent = await wallet.transfer({ to: bob.address, amount: "12.5coin" });
	const { state, block, fee } = await sent.wait("solid");

	assert.equal(state, "solid");
	assert.equal((await wallet.balanceSun(bob.address)) - before, 12_500_000n);
	console.log(`${sent.txID} is in block ${block}, for a fee of ${formatCoin(fee)}`);
} finally {
	await chain.stop();
}
