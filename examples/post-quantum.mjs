// Pays with a post-quantum key on a chain with the rules of the test network Nile.

import assert from "node:assert/strict";
import { startDevelopmentChain } from "coin/node";
import { ML_DSA_44 } from "coin/protocol";
import { forgetKey, newPostQuantumKey, Wallet } from "coin/wallet";

const chain = await startDevelopmentChain({ network: "nile", accounts: 2 });
const key = await newPostQuantumKey(ML_DSA_44); // a seed as second argument gives the same key every time
try {
	const [ann, bob] = chain.accounts;
	const at = { node: chain.url, dialect: "deployed" };
	const vera = new Wallet({ ...at, privateKey: key });
	const funding = await new Wallet({ ...at, privateKey: ann.privateKey }).transfer({
		to: vera.address,
		amount: "100coin",
	});
	await funding.wait();

	const sent = await vera.transfer({ to: bob.address, amount: "12.5coin" });
	const { state } = await sent.wait("solid");

	assert.equal(state, "solid");
	console.log(`${vera.address} has paid with a signature of ${key.scheme.name}: ${sent.txID}`);
} finally {
	forgetKey(key);
	await chain.stop();
}
