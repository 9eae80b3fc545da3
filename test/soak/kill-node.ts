/** Runs `coin node start` repeatedly on one directory, and kills it while it answers transfers. */

import { type ChildProcess, spawn } from "node:child_process";
import { cp, readFile, rm, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseDevelopment } from "../../src/launch/development-options.js";
import { OpenChain } from "../../src/node/chain/open-chain.js";
import { createContractMachine } from "../../src/node/contract-runner.js";
import type { DevelopmentAccount } from "../../src/node/development/accounts.js";
import { prepareDevelopment } from "../../src/node/development/development.js";
import { refBlockOf } from "../../src/protocol/block.js";
import { toHex } from "../../src/protocol/bytes.js";
import { contractTypeByName } from "../../src/protocol/contract-types.js";
import { Transaction, TransferContract } from "../../src/protocol/messages.js";
import { sign } from "../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../src/protocol/transaction.js";
import type { Answers } from "./answers.js";
import { between, type Random } from "./random.js";

const HOUR_MS = 3_600_000n;
/** Generous, as the machine may be busy. */
const START_LIMIT_MS = 300_000;
/** Concurrent transfers. */
const SENDERS = 6;

/** Flags of the chain, which must be the same at every start. */
const CHAIN_FLAGS: Readonly<Record<string, string>> = {
	accounts: "8",
	balance: "1000000coin",
	"http-port": "0",
	"solidity-port": "0",
	"jsonrpc-port": "0",
	"grpc-port": "0",
	"grpc-solidity-port": "0",
};

/** Sealing modes, which may differ at every start. */
const SEALS = ["instant", "instant", "1"];

/** Opens a directory's chain in this process, or the same chain in memory. */
export async function openDirectory(dataDirectory: string | undefined): Promise<OpenChain> {
	const { options } = await chooseDevelopment(
		(name) => (name === "seal" ? "instant" : CHAIN_FLAGS[name]),
		[],
		() => {},
	);
	const { config, schedule, initialize } = prepareDevelopment(options);
	return OpenChain.open({
		config,
		dataDirectory,
		clock: () => BigInt(Date.now()),
		machine: createContractMachine(config, false).run,
		development: schedule,
		initialize,
		onStorageFailure: (error) => {
			throw error;
		},
	});
}

/** The funded accounts. */
export async function fundedAccounts(): Promise<readonly DevelopmentAccount[]> {
	const { options } = await chooseDevelopment(
		(name) => CHAIN_FLAGS[name],
		[],
		() => {},
	);
	return options.accounts;
}

/** Parts of the built program. */
const PROGRAM = ["bin", "dist", "proto", "package.json", "oclif.manifest.json"];

/** Copies the program, so that a concurrent build doesn't affect it. @returns path of its entry point */
export async function copyProgram(target: string): Promise<string> {
	for (const part of PROGRAM) await cp(part, join(target, part), { recursive: true });
	await symlink(resolve("node_modules"), join(target, "node_modules"));
	return join(target, "bin", "coin.js");
}

interface Node {
	readonly child: ChildProcess;
	readonly url: string;
}

/** A node ended by itself. */
export class NodeFailedError extends Error {
	override readonly name = "NodeFailedError";
}

function launch(
	program: string,
	directory: string,
	seal: string,
	readyFile: string,
): { child: ChildProcess; output: () => string } {
	const flags = Object.entries({ ...CHAIN_FLAGS, seal }).flatMap(([name, value]) => [`--${name}`, value]);
	const args = [
		program,
		"node",
		"start",
		"--dev",
		"-d",
		directory,
		"--ready-file",
		readyFile,
		"--quiet",
		...flags,
	];
	const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
	let output = "";
	const keep = (chunk: Buffer): void => {
		output = (output + chunk.toString()).slice(-4_000);
	};
	child.stdout?.on("data", keep);
	child.stderr?.on("data", keep);
	return { child, output: () => output };
}

async function start(program: string, directory: string, seal: string): Promise<Node> {
	const readyFile = join(directory, "..", "ready.json");
	await rm(readyFile, { force: true });
	const { child, output } = launch(program, directory, seal, readyFile);
	const limit = Date.now() + START_LIMIT_MS;
	for (;;) {
		// Free ports are chosen before they are bound; another program may have taken one since.
		if (child.exitCode !== null && /port \d+ .* is in use/.test(output())) {
			return start(program, directory, seal);
		}
		if (child.exitCode !== null) {
			throw new NodeFailedError(`the node ended with code ${child.exitCode} at its start:\n${output()}`);
		}
		const text = await readFile(readyFile, "utf8").catch(() => "");
		if (text.endsWith("\n")) {
			const { ports } = JSON.parse(text) as { ports: { full: number } };
			return { child, url: `http://127.0.0.1:${ports.full}` };
		}
		if (Date.now() > limit) {
			await kill(child);
			throw new NodeFailedError(`the node was not ready after ${START_LIMIT_MS} ms:\n${output()}`);
		}
		await sleep(10);
	}
}

async function kill(child: ChildProcess): Promise<void> {
	const ended = new Promise((resolve) => child.once("exit", resolve));
	if (child.exitCode !== null || child.signalCode !== null) return;
	child.kill("SIGKILL");
	await ended;
}

interface NowBlock {
	readonly blockID: string;
	readonly block_header: { readonly raw_data: { readonly number?: number; readonly timestamp?: number } };
}

async function post(url: string, path: string, body: object): Promise<unknown> {
	const answer = await fetch(`${url}/wallet/${path}`, { method: "POST", body: JSON.stringify(body) });
	return answer.json();
}

/** Sends transfers until the node is killed, and records its answers. */
async function sendTransfers(
	url: string,
	accounts: readonly DevelopmentAccount[],
	random: Random,
	answers: Answers,
	isOver: () => boolean,
): Promise<void> {
	while (!isOver()) {
		try {
			const block = (await post(url, "getnowblock", {})) as NowBlock;
			answers.blocks.set(block.block_header.raw_data.number ?? 0, block.blockID);
			const transaction = transfer(accounts, random, block);
			const answer = (await post(url, "broadcasthex", { transaction: toHex(transaction.bytes) })) as {
				result?: boolean;
				code?: string;
			};
			if (answer.result === true) answers.transactions.add(transaction.idHex);
		} catch (error) {
			// The connection breaks when the node is killed, without an answer.
			if (!isOver() && !isConnectionError(error)) throw error;
			await sleep(5);
		}
	}
}

function isConnectionError(error: unknown): boolean {
	return error instanceof TypeError || error instanceof SyntaxError;
}

function transfer(
	accounts: readonly DevelopmentAccount[],
	random: Random,
	block: NowBlock,
): SignedTransaction {
	const from = accounts[between(random, 0, accounts.length - 1)] as DevelopmentAccount;
	const to = Buffer.alloc(21, between(random, 0, 255));
	to[0] = 0x41;
	const id = Buffer.from(block.blockID, "hex");
	const headMs = BigInt(block.block_header.raw_data.timestamp ?? 0);
	const contract = contractTypeByName("TransferContract");
	if (!contract) throw new Error("there are no transfers");
	const built = buildTransaction(
		contract,
		TransferContract.create({ owner_address: from.address, to_address: to, amount: 1n }),
		{
			...refBlockOf(id),
			expirationMs: headMs + HOUR_MS,
			// Isn't validated; makes equal transfers distinct.
			timestampMs: BigInt(Math.floor(random() * 2 ** 52)),
		},
	);
	return new SignedTransaction(
		Transaction.create({ ...built.message, signature: [sign(built.id, from.privateKey)] }),
	);
}

/** Starts the node, lets it work for a while, and kills it, sometimes before it is ready. */
export async function runAndKill(
	program: string,
	directory: string,
	accounts: readonly DevelopmentAccount[],
	random: Random,
	answers: Answers,
): Promise<void> {
	const seal = SEALS[between(random, 0, SEALS.length - 1)] as string;
	if (random() < 0.2) {
		const { child } = launch(program, directory, seal, join(directory, "..", "unready.json"));
		await sleep(between(random, 0, 1_500));
		await kill(child);
		return;
	}
	const node = await start(program, directory, seal);
	let over = false;
	const senders = Array.from({ length: SENDERS }, () =>
		sendTransfers(node.url, accounts, random, answers, () => over),
	);
	await sleep(between(random, 5, 1_000));
	over = true;
	await kill(node.child);
	await Promise.all(senders);
}
