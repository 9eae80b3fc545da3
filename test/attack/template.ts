/**
 * The chain on which attacks start: 27 witnesses whose keys the attacked node has, and blocks up to now, so
 * that it produces every slot. The last blocks are heavy, so that queries return much.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OpenChain } from "../../src/node/chain/open-chain.js";
import { loadConfig } from "../../src/node/config/config.js";
import { scheduledWitness, slotTimeMs } from "../../src/node/consensus/slots.js";
import { createContractMachine } from "../../src/node/contract-runner.js";
import { producerOf, producerWithKey } from "../../src/node/production/slot-producer.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { refBlockOf } from "../../src/protocol/block.js";
import { toHex } from "../../src/protocol/bytes.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { Transaction, TransferContract } from "../../src/protocol/messages.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { SLOT_MS } from "../../src/protocol/timing.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";

const WITNESSES = 27;
const LIGHT_BLOCKS = 40;
const HEAVY_BLOCKS = 30;
/** Data bytes in the one transaction of a heavy block. */
const HEAVY_BYTES = 450_000;
export const NETWORK_ID = 4242;

const keyOf = (n: number): Uint8Array => {
	const key = Buffer.alloc(32);
	key.writeUInt32BE(n, 28);
	return key;
};
const witnessKeys = Array.from({ length: WITNESSES }, (_, at) => keyOf(at + 1));
/** Private key of a rich account, for attacks that need coins. */
export const RICH_KEY = keyOf(5000);

const asset = (name: string, address: Uint8Array, balance: bigint): string =>
	`{ accountName = "${name}", accountType = "Normal", address = "${toBase58Check(address)}", balance = "${balance}" }`;

export interface Ports {
	readonly peer: number;
	readonly http: number;
	readonly jsonrpc: number;
	readonly grpc: number;
	readonly metrics: number;
	readonly events: number;
}

/** Configuration of the attacked node, with default limits. */
export function configText(genesisMs: bigint, ports: Ports, more = ""): string {
	return `
		net.type = mainnet
		storage { db.directory = "database" }
		node.discovery = { enable = true, persist = false }
		node {
			listen.port = ${ports.peer}
			p2p.version = ${NETWORK_ID}
			active = [], passive = []
			maxHttpConnectNumber = 50
			http { fullNodePort = ${ports.http}, solidityEnable = false, PBFTEnable = false }
			rpc { port = ${ports.grpc}, solidityEnable = false, PBFTEnable = false, minEffectiveConnection = 0 }
			jsonrpc { httpFullNodeEnable = true, httpFullNodePort = ${ports.jsonrpc} }
		}
		seed.node.ip.list = []
		block { needSyncCheck = false, maintenanceTimeInterval = 21600000, proposalExpireTime = 259200000 }
		localwitness = [ ${witnessKeys.map((key) => `"${toHex(key)}"`).join(", ")} ]
		genesis.block {
			timestamp = "${genesisMs}"
			parentHash = "${"0".repeat(64)}"
			assets = [
				${asset("Blackhole", addressOfPrivateKey(keyOf(9999)), -(2n ** 63n))}
				${asset("Rich", addressOfPrivateKey(RICH_KEY), 10n ** 16n)}
			]
			witnesses = [
				${witnessKeys.map((key, i) => `{ address = "${toBase58Check(addressOfPrivateKey(key))}", url = "http://w${i}.example", voteCount = ${1000 - i} }`).join("\n")}
			]
		}
		committee { allowCreationOfContracts = 1, allowMultiSign = 1, allowTvmConstantinople = 1, allowTvmSolidity059 = 1,
			allowTvmIstanbul = 1, allowSameTokenName = 1, allowDelegateResource = 1, allowPBFT = 1 }
		vm { supportConstant = true, maxEnergyLimitForConstant = 100000000, minTimeRatio = 0.0, maxTimeRatio = 5.0 }
		${more}
	`;
}

export interface Template {
	readonly genesisMs: bigint;
	readonly directory: string;
}

/** Creates the chain. @param folder an empty folder */
export async function makeTemplate(folder: string, ports: Ports): Promise<Template> {
	const blocks = LIGHT_BLOCKS + HEAVY_BLOCKS;
	const nowMs = BigInt(Date.now());
	const genesisMs = nowMs - (nowMs % SLOT_MS) - BigInt(blocks + 2) * SLOT_MS;
	mkdirSync(folder, { recursive: true });
	const file = join(folder, "template.conf");
	writeFileSync(file, configText(genesisMs, ports));
	const config = loadConfig(file);
	const directory = join(folder, "data");
	const open = await OpenChain.open({
		config,
		dataDirectory: directory,
		clock: () => BigInt(Date.now()),
		machine: createContractMachine(config, false).run,
		onStorageFailure: (error) => {
			throw error;
		},
	});
	const producers = witnessKeys.map((key) => producerWithKey(key));
	for (let number = 1; number <= blocks; number++) {
		const { chain } = open;
		if (number > LIGHT_BLOCKS) chain.pushTransaction(heavy(open, number));
		const producer = producerOf(producers, scheduledWitness(chain.state, 1n));
		if (!producer) throw new Error("a slot has no producer");
		chain.produce(producer, slotTimeMs(chain.state, 1n), () => false);
	}
	await open.close();
	return { genesisMs, directory };
}

function heavy({ chain }: OpenChain, number: number): SignedTransaction {
	const { headId, headTimestampMs } = chain.state.properties;
	const contract = contractTypeByName("TransferContract");
	if (!contract) throw new Error("there are no transfers");
	const parameter = TransferContract.create({
		owner_address: addressOfPrivateKey(RICH_KEY),
		to_address: addressOfPrivateKey(witnessKeys[0] as Uint8Array),
		amount: BigInt(number),
	});
	const built = buildTransaction(contract, parameter, {
		...refBlockOf(headId),
		expirationMs: headTimestampMs + 600_000n,
		timestampMs: headTimestampMs,
	});
	const raw_data = { ...built.raw, data: new Uint8Array(HEAVY_BYTES).fill(number) };
	const message = Transaction.create({ raw_data: raw_data as never });
	const { id } = new SignedTransaction(message);
	return new SignedTransaction(Transaction.create({ ...message, signature: [sign(id, RICH_KEY)] }));
}
