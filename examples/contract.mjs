// A contract: deployed, read, written to and listened to, and what it says when it refuses.

import assert from "node:assert/strict";
import { startDevelopmentChain } from "coin/node";
import { fromHex } from "coin/protocol";
import { deployTyped, Failure, Wallet } from "coin/wallet";

// What a compiler makes of this, for EVM version istanbul:
//   contract Store {
//       uint256 public value;
//       error TooLarge(uint256 given, uint256 limit);
//       event Changed(address indexed by, uint256 value);
//       constructor(uint256 start) { value = start; }
//       function set(uint256 next) external payable {
//           if (next > 1000) revert TooLarge(next, 1000);
//           value = next;
//           emit Changed(msg.sender, next);
//       }
//   }
const code = fromHex(
	"6080604052348015600f57600080fd5b50604051610141380380610141833981016040819052602c916033565b600055604b565b6000602082" +
		"84031215604457600080fd5b5051919050565b60e8806100596000396000f3fe60806040526004361060265760003560e01c80633fa4f245" +
		"14602b57806360fe47b1146051575b600080fd5b348015603657600080fd5b50603f60005481565b60405190815260200160405180910390" +
		"f35b6060605c36600460d0565b6062565b005b6103e881111560935760405163677fd0e360e01b8152600481018290526103e86024820152" +
		"60440160405180910390fd5b600081905560405181815233907fb52dda022b6c1a1f40905a85f257f689aa5d69d850e49cf939d688fbe5af" +
		"59469060200160405180910390a250565b60006020828403121560e157600080fd5b503591905056",
);
const uint256 = (name) => ({ name, type: "uint256" });
const abi = [
	{ type: "constructor", inputs: [uint256("start")] },
	{ type: "function", name: "value", inputs: [], outputs: [uint256("")], stateMutability: "view" },
	{ type: "function", name: "set", inputs: [uint256("next")], outputs: [], stateMutability: "payable" },
	{
		type: "event",
		name: "Changed",
		inputs: [{ name: "by", type: "address", indexed: true }, uint256("value")],
	},
	{ type: "error", name: "TooLarge", inputs: [uint256("given"), uint256("limit")] },
];

const chain = await startDevelopmentChain({ accounts: 1 });
try {
	const { privateKey } = chain.accounts[0];
	const wallet = new Wallet({ node: chain.url, dialect: "deployed", privateKey });

	const store = await deployTyped(wallet, abi, [42n], { code });
	assert.equal(await store.read("value", []), 42n);

	const sent = await store.write("set", [7n], { valueSun: 5n });
	const { result, block } = await sent.wait();
	assert.equal(await store.read("value", []), 7n);
	assert.equal(await wallet.balanceSun(store.address), 5n);
	console.log(`${store.address} was set in block ${block}: ${result}`);

	for await (const { args } of store.events("Changed")) {
		assert.deepEqual(args, { by: wallet.address, value: 7n });
		console.log(`${args.by} has set it to ${args.value}`);
	}

	// A call that would fail isn't sent: the failure has the contract's own error.
	await assert.rejects(store.write("set", [1001n]), (error) => {
		assert.ok(error instanceof Failure);
		assert.equal(error.code, "contract_revert");
		assert.equal(error.facts.sent, false);
		assert.match(error.message, /TooLarge/);
		console.log(`${error.code}: ${error.message}`);
		return true;
	});
} finally {
	await chain.stop();
}
