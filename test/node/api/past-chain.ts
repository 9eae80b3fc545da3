/** A node that has executed some blocks, in tests of questions about the past. */

import { type RunningNode, startNode } from "../../../src/node/node.js";
import { CreateSmartContract, SmartContract, TriggerSmartContract } from "../../../src/protocol/messages.js";
import { produce, signed, smallConfig, transfer, users } from "../chain/small-chain.js";

/**
 * Called without data it answers the block's number, slot 0 and the block's time, a word each; with data it writes the first
 * word to slot 0.
 */
export const RUNTIME = "36601757436000526000546020524260405260606000f35b60003560005500";
const INIT = `601f600c600039601f6000f3${RUNTIME}`;
const FEE = { feeLimitSun: 1_000_000_000n };

const SERVERS = `
	node {
		http { fullNodePort = 0, solidityPort = 0, PBFTEnable = false }
		jsonrpc { httpFullNodeEnable = true, httpFullNodePort = 0 }
		rpc { enable = true, port = 0, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
		disabledApi = []
	}
	vm { supportConstant = true, estimateEnergy = true }
`;

/** A node with some blocks, each of which changed something. */
export interface PastChain {
	readonly node: RunningNode;
	readonly contract: Uint8Array;
	/** Block in which the contract came, and the number of those after it that each changed something. */
	readonly deployed: bigint;
	/** Of each block: its time, and the balance of the second user after it. */
	readonly times: bigint[];
	readonly balances: bigint[];
}

/** @param history further keys of its configuration */
export async function startPastChain(history: string): Promise<PastChain> {
	const node = await startNode({
		config: smallConfig("allowTvmTransferTrc10 = 1, allowTvmConstantinople = 1", `${SERVERS}\n${history}`),
		dataDirectory: undefined,
		limitTime: false,
		producers: [],
		host: "127.0.0.1",
		log: { info: () => {}, warn: () => {}, error: () => {} },
		clock: () => 1_700_000_000_000n,
	});
	const { open } = node;
	const times: bigint[] = [open.chain.head.timestampMs];
	const balances: bigint[] = [balanceNow(node)];
	const advance = (): void => {
		produce(open);
		times.push(open.chain.head.timestampMs);
		balances.push(balanceNow(node));
	};
	const create = CreateSmartContract.create({
		owner_address: users[0] as Uint8Array,
		new_contract: SmartContract.create({
			origin_address: users[0] as Uint8Array,
			bytecode: Buffer.from(INIT, "hex"),
			consume_user_resource_percent: 100n,
			origin_energy_limit: 1_000_000n,
			name: "past",
		}),
	});
	advance();
	const info = open.chain.pushTransaction(signed(open, 0, "CreateSmartContract", create, FEE));
	const contract = info?.contract_address as Uint8Array;
	advance();
	for (let n = 1; n <= 12; n++) {
		const data = Buffer.alloc(32);
		data.writeUInt32BE(n, 28);
		const call = TriggerSmartContract.create({
			owner_address: users[0] as Uint8Array,
			contract_address: contract,
			data,
		});
		open.chain.pushTransaction(signed(open, 0, "TriggerSmartContract", call, FEE));
		open.chain.pushTransaction(transfer(open, 0, users[1] as Uint8Array, BigInt(n)));
		advance();
	}
	await open.flushNow();
	for (let n = 0; n < 6; n++) advance();
	return { node, contract, deployed: 2n, times, balances };
}

const balanceNow = ({ open }: RunningNode): bigint =>
	open.chain.state.account.get(users[1] as Uint8Array)?.balance ?? 0n;
