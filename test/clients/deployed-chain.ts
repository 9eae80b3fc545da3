/** A development chain in the deployed spelling, at free ports, for clients that nobody here wrote. */

import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	type DevelopmentAccount,
	defaultProducerKey,
	deriveAccounts,
} from "../../src/node/development/accounts.js";
import { prepareDevelopment } from "../../src/node/development/development.js";
import { type RunningNode, startNode } from "../../src/node/node.js";
import { toBase58Check } from "../../src/protocol/address.js";
import { toHex } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey } from "../../src/protocol/signature.js";

export interface Person {
	/** 64 hexadecimal digits. */
	readonly key: string;
	/** Base58Check. */
	readonly address: string;
	/** 42 hexadecimal digits. */
	readonly hex: string;
}

export interface DeployedChain {
	readonly node: RunningNode;
	/** The one port that serves everything: `http://127.0.0.1:…`. */
	readonly gateway: string;
	readonly full: string;
	readonly solidity: string;
	/** With its path. */
	readonly jsonrpc: string;
	/** Host and port. */
	readonly grpc: string;
	readonly grpcSolidity: string;
	/** Ten accounts of a million coins each. */
	readonly people: readonly Person[];
	/** The witness that produces. */
	readonly producer: Person;
	/** Calls a development method. */
	dev(method: string, ...params: unknown[]): Promise<unknown>;
	close(): Promise<void>;
}

const ACCOUNTS = 10;
const BALANCE_SUN = 1_000_000_000_000n;

const personOf = (privateKey: Uint8Array): Person => {
	const address = addressOfPrivateKey(privateKey);
	return { key: toHex(privateKey), address: toBase58Check(address), hex: toHex(address) };
};

/** Starts the chain; a block is made for every transaction. */
export async function startDeployedChain(): Promise<DeployedChain> {
	const accounts: readonly DevelopmentAccount[] = deriveAccounts(
		DEVELOPMENT_MNEMONIC,
		DEVELOPMENT_HD_PATH,
		ACCOUNTS,
		BALANCE_SUN,
	);
	const development = prepareDevelopment({
		accounts,
		producerKey: defaultProducerKey(),
		seal: "instant",
		economy: "genesis",
		parameters: [],
		genesisTimestampMs: 0n,
		maintenanceMs: 21_600_000,
		solidLag: 0n,
		unstakeDelayMs: 60_000n,
		dialect: "deployed",
		// Free ports: looked for before, they could be another program's by now.
		ports: { gateway: 0, http: 0, solidity: 0, jsonrpc: 0, grpc: 0, grpcSolidity: 0 },
	});
	const faults: unknown[] = [];
	const node = await startNode({
		config: development.config,
		development,
		dataDirectory: undefined,
		producers: [],
		host: "127.0.0.1",
		limitTime: false,
		log: { info: () => {}, warn: () => {}, error: (fields) => void faults.push(fields) },
	});
	const { gateway = 0, full: http = 0, solidity = 0, jsonrpc = 0, grpc = 0, grpcSolidity = 0 } = node.ports;
	const url = (port: number): string => `http://127.0.0.1:${port}`;
	return {
		node,
		gateway: url(gateway),
		full: url(http),
		solidity: url(solidity),
		jsonrpc: `${url(jsonrpc)}/jsonrpc`,
		grpc: `127.0.0.1:${grpc}`,
		grpcSolidity: `127.0.0.1:${grpcSolidity}`,
		people: accounts.map(({ privateKey }) => personOf(privateKey)),
		producer: personOf(defaultProducerKey()),
		dev: async (method, ...params) => {
			const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
			const reply = await fetch(`${url(gateway)}/dev`, { method: "POST", body });
			const { result, error } = (await reply.json()) as { result?: unknown; error?: unknown };
			if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
			return result;
		},
		close: async () => {
			await node.close();
			if (faults.length > 0) throw new Error(`the node reported faults: ${JSON.stringify(faults)}`);
		},
	};
}
