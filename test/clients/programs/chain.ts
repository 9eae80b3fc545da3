/** A development chain of the built program at free ports of this machine, and where its parts are. */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	deriveAccounts,
} from "../../../src/node/development/accounts.js";
import { toBase58Check } from "../../../src/protocol/address.js";
import { toHex } from "../../../src/protocol/bytes.js";

const PROGRAM = fileURLToPath(new URL("../../../bin/coin.js", import.meta.url));
const READY_MS = 30_000;

/** What a program is told. */
export interface Places {
	readonly gateway: string;
	readonly full: string;
	readonly solidity: string;
	/** With its path. */
	readonly jsonrpc: string;
	/** Host and port. */
	readonly grpc: string;
	readonly grpcSolidity: string;
	readonly people: readonly {
		readonly key: string;
		readonly base58: string;
		/** 42 digits. */
		readonly hex: string;
		/** Of 20 bytes, as Ethereum writes it. */
		readonly evm: string;
	}[];
}

export interface Chain {
	readonly places: Places;
	stop(): Promise<void>;
}

/** @param more flags of the node */
export async function startChain(more: readonly string[] = []): Promise<Chain> {
	const home = mkdtempSync(join(tmpdir(), "coin-clients-"));
	const ready = join(home, "ready");
	const free = ["--port", "--http-port", "--solidity-port", "--jsonrpc-port", "--grpc-port"].flatMap(
		(flag) => [flag, "0"],
	);
	const words = [PROGRAM, "node", "start", "--ready-file", ready, "--grpc-solidity-port", "0", ...free];
	const node = spawn(
		process.execPath,
		[...words, "--balance", "1000000coin", "--dialect", "deployed", ...more],
		{
			cwd: home,
			env: { PATH: process.env["PATH"] ?? "", HOME: home },
			stdio: "ignore",
		},
	);
	const stop = async (): Promise<void> => {
		if (node.exitCode === null) {
			const ended = new Promise((resolve) => node.once("exit", resolve));
			node.kill();
			await ended;
		}
		rmSync(home, { recursive: true, force: true });
	};
	try {
		const ports = await portsOf(ready, () => node.exitCode);
		return { places: placesOf(ports), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

type Ports = Readonly<Record<string, number>>;

async function portsOf(file: string, exitCode: () => number | null): Promise<Ports> {
	const end = performance.now() + READY_MS;
	for (;;) {
		if (exitCode() !== null) throw new Error(`the node ended with ${exitCode()}`);
		try {
			return (JSON.parse(readFileSync(file, "utf8")) as { ports: Ports }).ports;
		} catch (error) {
			// Not there yet, or half written.
			if (performance.now() > end) throw error;
			await new Promise((resolve) => setTimeout(resolve, 50));
		}
	}
}

function placesOf(ports: Ports): Places {
	const url = (name: string): string => `http://127.0.0.1:${ports[name]}`;
	return {
		gateway: url("gateway"),
		full: url("full"),
		solidity: url("solidity"),
		jsonrpc: `${url("jsonrpc")}/jsonrpc`,
		grpc: `127.0.0.1:${ports["grpc"]}`,
		grpcSolidity: `127.0.0.1:${ports["grpcSolidity"]}`,
		people: deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, 4, 0n).map((person) => ({
			key: toHex(person.privateKey),
			base58: toBase58Check(person.address),
			hex: toHex(person.address),
			evm: `0x${toHex(person.address.subarray(1))}`,
		})),
	};
}
