/**
 * Every example of every command's help, run as it is written (but for the cost of encrypted keys) against a development chain that holds what the examples
 * speak of. An example that can't run here is named with its reason.
 */

import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
	DEVELOPMENT_HD_PATH,
	DEVELOPMENT_MNEMONIC,
	defaultProducerKey,
	deriveAccounts,
} from "../../src/node/development/accounts.js";
import { parseAddress } from "../../src/protocol/address.js";
import { utf8 } from "../../src/protocol/bytes.js";
import { addressOfPrivateKey, sign } from "../../src/protocol/signature.js";
import { contactsText, writeContactList } from "../../src/wallet/configuration/contact-list.js";
import { messageHash, signatureText } from "../../src/wallet/transaction/signed-message.js";
import { writeCheapKey } from "./cheap-key.js";
import { Home, type Outcome, PATIENCE } from "./coin-process.js";
import { needsOwnProcess, program, runInHost } from "./command-host.js";
import { DevelopmentChain } from "./development-chain.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const artifact = join(root, "test/commands/contracts/Store.json");
const source = readFileSync(join(root, "test/commands/contracts/Store.sol"), "utf8");
const SENTENCE = `${"abandon ".repeat(11)}about`;

const manifest = JSON.parse(readFileSync(join(root, "oclif.manifest.json"), "utf8")) as {
	readonly commands: Readonly<Record<string, { readonly examples?: readonly string[] }>>;
};

/**
 * Examples of other rooms, or of programs and places that a test machine lacks. A trace needs the state before its
 * block, which is gone after the many blocks that other examples speak of. Trades are refused from block version 33 on, which
 * these chains begin with.
 */
const ELSEWHERE = [
	/^coin (dev|explorer|keystore import signer|network|node|signer|tx trace) /,
	// Notes need a contract and proofs: shielded.test.ts and shielded-proofs.long.test.ts have both.
	/coin shielded /,
	/^coin chain (import|export) /,
	/^coin exchange trade /,
	// Ids and signatures that are cut short, and a token of a contract.
	/^coin (market (cancel|order)|message verify|token allow(ance)?) /,
	// No account of these chains has a stake of the first generation.
	/^coin stake unfreeze-v1 /,
	/\| jq /,
	/\| coin dev /,
];
/** Examples that ask the person at the terminal: without one they say so. */
const ASKS =
	/"(password_required|confirmation_needed)"|is needed and there is no terminal|needs --yes|to show it on/;
/** Examples that encrypt keys, which with the standard cost takes a second of a core for each. */
const MAKES_KEYS = /coin keystore (new|derive|passwd|import (key|mnemonic))\b/;
/** Examples that begin with an empty keystore. */
const FRESH = /^(pass .*\| )?coin (keystore (new|import)|contact add)/;
/** Examples that go on until somebody stops them. */
const ENDLESS = /--follow|^coin block follow/;

const examples = Object.values(manifest.commands)
	.flatMap((command) => command.examples ?? [])
	.map((example) => example.replaceAll("<%= config.bin %>", "coin"))
	.filter((example) => !ELSEWHERE.some((pattern) => pattern.test(example)));

const topicOf = (example: string): string => example.split(" ")[1] as string;
/** The first example of each topic has processes of its own, as have all whose words a shell changes. */
const firsts = new Set(
	examples.filter((one, index) => index === examples.findIndex((other) => topicOf(other) === topicOf(one))),
);
const isPlain = (example: string): boolean => /^coin [\w\s./,:@%+=-]+$/.test(example);

let chain: DevelopmentChain;
const TOKEN = `pragma solidity ^0.8.0;
contract Token { uint256 public supply; constructor(uint256 start) { supply = start; } }`;
const MARKET = `pragma solidity ^0.8.0;
library Sums { function twice(uint256 n) public pure returns (uint256) { return 2 * n; } }
contract Market { function price(uint256 n) public pure returns (uint256) { return Sums.twice(n); } }`;
const LAYOUT = JSON.stringify({
	storage: [
		{ label: "last", slot: "0", offset: 0, type: "t_uint" },
		{ label: "paid", slot: "1", offset: 0, type: "t_paid" },
	],
	types: {
		t_uint: { encoding: "inplace", label: "uint256", numberOfBytes: "32" },
		t_address: { encoding: "inplace", label: "address", numberOfBytes: "20" },
		t_paid: {
			encoding: "mapping",
			label: "mapping(address => uint256)",
			numberOfBytes: "32",
			key: "t_address",
			value: "t_uint",
		},
	},
});

/** A list of contacts that a key has signed. */
function contactsBy(key: Uint8Array): string {
	const address = parseAddress("TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC") as Uint8Array;
	const contacts = [{ label: "zoe", address, note: undefined }];
	const signature = signatureText(sign(messageHash(utf8(contactsText(contacts))), key));
	return JSON.stringify(writeContactList(contacts, { signer: addressOfPrivateKey(key), signature }));
}

let template: string;
let deployTxId: string;

beforeAll(async () => {
	chain = await DevelopmentChain.start();
	template = mkdtempSync(join(tmpdir(), "coin-examples-"));
	const keystore = join(template, "keystore");
	const names = ["ann", "bob", "carol", "dora", "treasury", "cold"];
	const keys = deriveAccounts(DEVELOPMENT_MNEMONIC, DEVELOPMENT_HD_PATH, names.length, 0n);
	for (const [index, name] of names.entries()) {
		writeCheapKey(keystore, name, keys[index]?.privateKey as Uint8Array, "password");
	}
	writeCheapKey(keystore, "alice", defaultProducerKey(), "password");
	const files: Readonly<Record<string, string>> = {
		password: "password",
		pw: "password",
		old: "password",
		new: "another password",
		"words.txt": SENTENCE,
		"shared.json": contactsBy(keys[0]?.privateKey as Uint8Array),
		"pay.csv": "to,amount\nbob,1coin\ncarol,2coin\n",
		"key.txt": "33".repeat(32),
		"FN_DSA_512.json": JSON.stringify({ scheme: "FN_DSA_512", seed: "07".repeat(48) }),
		"call.hex": "0x3fa4f245",
		"Store.sol": source,
		"pay-everyone.sh": 'test -S "$COIN_AGENT"',
		"standard-input.json": JSON.stringify({
			language: "Solidity",
			sources: { "Store.sol": { content: source } },
			settings: { optimizer: { enabled: true, runs: 200 }, evmVersion: "istanbul" },
		}),
	};
	for (const [name, text] of Object.entries(files))
		writeFileSync(join(template, name), text, { mode: 0o600 });
	mkdirSync(join(template, "build"));
	mkdirSync(join(template, "contracts"));
	writeFileSync(join(template, "contracts/Token.sol"), TOKEN);
	writeFileSync(join(template, "contracts/Market.sol"), MARKET);
	writeFileSync(join(template, "Store.layout.json"), LAYOUT);
	cpSync(artifact, join(template, "build/Store.json"));
	const { abi, bytecode } = JSON.parse(readFileSync(artifact, "utf8")) as { abi: object; bytecode: string };
	for (const name of ["Store", "Token"]) writeFileSync(join(template, `${name}.abi`), JSON.stringify(abi));
	writeFileSync(join(template, "Store.bin"), bytecode);
	const { full, solidity, jsonrpc, grpc } = chain.ports;
	const urls = `http = "http://127.0.0.1:${full}", solidity = "http://127.0.0.1:${solidity}", jsonrpc = "http://127.0.0.1:${jsonrpc}/jsonrpc", grpc = "127.0.0.1:${grpc}", gateway = "${chain.gateway}"`;
	writeFileSync(
		join(template, "config.conf"),
		`wallet = ann\npasswordFile = password\nprofiles { local { ${urls}, tokens { GOLD = "1000001" } }\n gate { http = "https://gateway.example" } }\n`,
		{ mode: 0o600 },
	);
	await prepared();
});
afterAll(async () => {
	await chain.stop();
	rmSync(template, { recursive: true, force: true });
});

/** Brings about what the examples speak of. */
async function prepared(): Promise<void> {
	const lines = [
		"coin keystore import mnemonic savings --key-file words.txt --light",
		"coin keystore export file carol --ethereum --yes > UTC--2026-11-21T09-30-00.000Z--7e5f4552091a69125d5dfcb7b8c2659029395bdf",
		"coin token issue --from alice --name Gold --supply 1_000_000 --decimals 2 --price 1coin/100 --start 1s --end 30d --url https://gold.example --yes --wait",
		// The sale begins a second later.
		"coin dev time --add 1s",
		"coin wallet send --from alice --to ann --amount 500000 --decimals 2 --token 1000001 --wait",
		"coin wallet send --from alice --to ann --amount 50000coin --yes --wait --proof paid.proof",
		"coin witness keys --out witnesses.json",
		"coin stake freeze 2000coin --for energy --yes --wait",
		"coin stake delegate 5coin --for energy --to bob --wait",
		"coin stake freeze 1000coin --for votes --wait",
		"coin exchange create 1000001:500000raw coin:100coin --wait",
		// The examples run at once: one approves the first proposal, another deletes the second.
		"coin proposal create MEMO_FEE=2000000 --from alice --yes --wait",
		"coin proposal create MEMO_FEE=3000000 --from alice --yes --wait",
		"coin permission update --from dora --owner 2/ann,bob --yes --wait",
		"coin rpc --data '{}' /wallet/getnowblock",
		"coin wallet send --from dora --to alice --amount 1coin --expires 12h --build > pay.json",
		"coin wallet sign --signer ann < pay.json > pay.ann.json",
		"coin wallet sign --signer bob < pay.json > pay.bob.json",
		"coin wallet send --to alice --amount 3coin --expires 12h --sign > signed.json",
		"coin wallet send --from cold --to alice --amount 3coin --expires 12h --build > tx.json",
		"coin contract deploy --artifact standard-input.json --solc 0.8.37 42 --wait | tee deployed.json",
	];
	for (const line of lines) {
		const { code, stderr } = await shell(line, template);
		expect({ line, code, stderr: code === 0 ? "" : stderr }).toEqual({ line, code: 0, stderr: "" });
	}
	const deployed = JSON.parse(readFileSync(join(template, "deployed.json"), "utf8")) as {
		readonly txID: string;
		readonly contractAddress: string;
	};
	deployTxId = deployed.txID;
	await shell(`coin contact add store ${deployed.contractAddress}`, template);
	await chain.coin("dev mine --blocks 820");
}

/** What a line finds in its environment; the directory is the home of its user. */
function environmentIn(directory: string): Record<string, string> {
	return {
		PATH: process.env["PATH"] ?? "",
		HOME: directory,
		COIN_CONFIG: join(directory, "config.conf"),
		COIN_DATA_DIR: directory,
		COIN_TTY: join(directory, "no-terminal"),
		COIN_TIMEOUT: PATIENCE,
	};
}

/** Runs an example, in a shell where that makes a difference. */
function run(example: string, directory: string, more: Record<string, string>): Promise<Outcome> {
	const line = example.replaceAll("4f0c…", deployTxId).replace(MAKES_KEYS, "$& --light");
	const words = line.split(/\s+/).slice(1);
	const needsShell = !isPlain(line) || ENDLESS.test(line) || needsOwnProcess(words, more);
	if (firsts.has(example) || needsShell) return shell(line, directory, more);
	return runInHost({ words, stdin: "", environment: { ...environmentIn(directory), ...more }, directory });
}

/** Runs a line in a directory that is the home of its user. */
function shell(line: string, directory: string, environment: Record<string, string> = {}): Promise<Outcome> {
	const prelude = `coin() { '${process.execPath}' '${program}' "$@"; }; pass() { cat key.txt; }`;
	const child = spawn("bash", ["-c", `set -o pipefail; ${prelude}\n${line}`], {
		cwd: directory,
		env: { ...environmentIn(directory), ...environment },
		stdio: ["ignore", "pipe", "pipe"],
		detached: true,
	});
	let [stdout, stderr] = ["", ""];
	child.stdout.setEncoding("utf8").on("data", (text: string) => {
		stdout += text;
	});
	child.stderr.setEncoding("utf8").on("data", (text: string) => {
		stderr += text;
	});
	const end = ENDLESS.test(line)
		? setTimeout(() => process.kill(-(child.pid as number), "SIGINT"), 3000)
		: undefined;
	return new Promise((resolve, reject) => {
		child.once("error", reject);
		child.once("close", (code) => {
			clearTimeout(end);
			resolve({ code, stdout, stderr });
		});
	});
}

describe("the examples of the help", () => {
	it.concurrent.each(examples)("%s", async (example) => {
		const home = new Home();
		try {
			cpSync(template, home.path, { recursive: true });
			mkdirSync(join(home.path, ".local/share/bash-completion/completions"), { recursive: true });
			mkdirSync(join(home.path, ".zfunc"));
			const fresh = FRESH.test(example);
			if (fresh) rmSync(join(home.path, "contacts.json"), { force: true });
			const environment = fresh ? { COIN_KEYSTORE_DIR: join(home.path, "empty") } : {};
			const { code, stderr } = await run(example, home.path, environment);
			if (ENDLESS.test(example)) return expect(stderr).toBe("");
			if (code !== 0 && ASKS.test(stderr)) return;
			expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
		} finally {
			home.remove();
		}
	});
});
