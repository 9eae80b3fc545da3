// Makes a payment, proves it, and checks the proof as its receiver would: without a node.

import assert from "node:assert/strict";
import { startDevelopmentChain } from "coin/node";
import { fromHex } from "coin/protocol";
import { fetchWitnessSet, InclusionError, proveInclusion, verifyInclusion, Wallet } from "coin/wallet";

const chain = await startDevelopmentChain({ accounts: 2 });
let proof;
let trusted;
try {
	const [ann, bob] = chain.accounts;
	const wallet = new Wallet({ node: chain.url, dialect: "deployed", privateKey: ann.privateKey });
	trusted = await fetchWitnessSet(wallet.client);
	const sent = await wallet.transfer({ to: bob.address, amount: "12.5coin" });
	await sent.wait("solid");
	proof = await proveInclusion(wallet.client, fromHex(sent.txID));
} finally {
	await chain.stop();
}

const { transaction, block, builders, needed } = await verifyInclusion(proof, trusted);
console.log(
	`${transaction.idHex} is in block ${block.number}: ${builders.length} of ${needed} witnesses say so`,
);
assert.equal(transaction.parameter.amount, 12_500_000n);

const changed = proof.replace(/(?<="transaction": ".{100})./s, (digit) => (digit === "0" ? "1" : "0"));
await assert.rejects(verifyInclusion(changed, trusted), InclusionError);
