/** `coin dev …`: blocks, clock, snapshots and complete state of a development chain. */

import { readFile, rename, writeFile } from "node:fs/promises";
import { Args, Flags } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import { development, developmentFlags } from "../../terminal/base/development-command.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import { optional, required } from "../../terminal/flags/flags.js";
import { argumentOrStdin } from "../../terminal/input/stdin.js";
import { localTime, printJson } from "../../terminal/output/output.js";
import { unreadable } from "../../wallet/bounded-file.js";
import { Failure } from "../../wallet/failure.js";
import { isRecord } from "../../wallet/json.js";
import { answeredInteger } from "../../wallet/node/answer.js";
import { formatCoin } from "../../wallet/values/amount.js";
import { parseCount, parseNatural } from "../../wallet/values/integer-text.js";
import { parseDuration } from "../../wallet/values/moment.js";

export const DevAccounts = development({
	summary: "List the funded accounts of a development chain",
	description: "Their keys are public by design: never use them elsewhere. --keys prints them.",
	examples: ["<%= config.bin %> dev accounts --keys"],
	flags: {
		...developmentFlags,
		keys: Flags.boolean({ description: "print the private keys too" }),
	},
	run: async ({ flags, ask, print }) => {
		const answer = await ask("dev_accounts", []);
		const records = (Array.isArray(answer) ? answer : []).filter(isRecord).map((account) => {
			const { address, hex, path, balance, privateKey } = account;
			return {
				address,
				hex,
				path,
				balance: answeredInteger({ name: "balance" }, balance),
				...(flags.keys ? { privateKey } : {}),
			};
		});
		const columns = ["address", "balance", "path", ...(flags.keys ? ["privateKey"] : [])];
		const text = records.map((record) => ({ ...record, balance: formatCoin(record.balance) }));
		print.list(records, columns, "no funded accounts", text);
	},
});

export const DevDrop = development({
	examples: ["<%= config.bin %> dev drop 4f0c…"],
	takesIds: true,
	summary: "Take a waiting transaction out of a development chain's pool, or all of them",
	description: "Prints how many were taken out.",
	args: {
		transaction: optional("its id (default: all)"),
	},
	flags: developmentFlags,
	run: async ({ args, change, json, print, note }) => {
		const { transaction } = args;
		const params = transaction === undefined ? [] : [toHex(parseTransactionId(transaction))];
		const count = Number(await change("dev_dropTransaction", params));
		if (!json) note(`waiting transactions taken out: ${count}`);
		print.scalar(count);
	},
});

export const DevDump = development({
	summary: "Write the whole state of a development chain",
	description:
		"Without --out as one line of JSON, which dev load reads; with it the file that --load-state of node start reads.",
	examples: ["<%= config.bin %> dev dump > state.bin"],
	flags: {
		...developmentFlags,
		out: Flags.string({ description: "file to write", helpValue: "<path>" }),
	},
	run: async ({ flags, ask, note }) => {
		const dump = await ask("dev_dumpState", []);
		if (flags.out === undefined) return printJson(dump);
		const data = isRecord(dump) ? dump["data"] : undefined;
		if (typeof data !== "string") throw new Failure("rpc_error", "the node answered with no state");
		await writeFile(`${flags.out}.${process.pid}`, Buffer.from(data, "base64"));
		await rename(`${flags.out}.${process.pid}`, flags.out);
		note(`the state is in ${flags.out}`);
	},
});

export const DevInfo = development({
	summary: "Show how a development chain runs: head, clock, sealing, snapshots, ports",
	examples: ["<%= config.bin %> dev info --json"],
	flags: developmentFlags,
	run: async ({ ask, print }) => {
		const info = await ask("dev_info", []);
		if (!isRecord(info)) throw new Failure("rpc_error", "the node answered with no information");
		const { version, genesis, chainId, head, headTime, clockOffsetMs, sealing, solidLag } = info;
		const { snapshots, unlocked, unlockAll, instanceId, ports } = info;
		print.record({
			version,
			genesis,
			chainId,
			head,
			timestamp: headTime,
			offsetMs: clockOffsetMs,
			sealing: String(sealing),
			solidLag,
			snapshots,
			unlocked,
			unlockAll,
			instanceId,
			ports,
		});
	},
});

export const DevLoad = development({
	summary: "Replace the whole state of a development chain by a dumped one",
	examples: ["<%= config.bin %> dev load state.bin"],
	args: {
		file: required("what dev dump printed or wrote; - for standard input"),
	},
	flags: developmentFlags,
	run: async ({ args, change, done }) => {
		const { file } = args;
		const data = file === "-" ? await pipedDump() : await readFile(file, "base64").catch(unreadable(file));
		done(await change("dev_loadState", [data]), "the dumped state is the chain's; its snapshots are gone");
	},
});

async function pipedDump(): Promise<string> {
	const input = await argumentOrStdin("-", "the state", false);
	const text = input?.text ?? "";
	if (!text.trim().startsWith("{"))
		throw new Failure("bad_value", "standard input holds no dump: pipe what dev dump prints");
	return Buffer.from(text.trim()).toString("base64");
}

export const DevLogging = development({
	summary: "Switch the log of a development chain's blocks and contracts on or off",
	examples: ["<%= config.bin %> dev logging off"],
	args: {
		state: Args.string({
			description: "on or off",
			required: true,
			ignoreStdin: true,
			options: ["on", "off"],
		}),
	},
	flags: developmentFlags,
	run: async ({ args, change, done }) => {
		done(
			await change("dev_setLogging", [args.state === "on"]),
			`the log of blocks and contracts is ${args.state}`,
		);
	},
});

export const DevMaintenance = development({
	summary: "Seal a block of a development chain that counts votes and ends proposals",
	examples: ["<%= config.bin %> dev maintenance"],
	flags: developmentFlags,
	run: async ({ change, json, print, note }) => {
		const answer = await change("dev_maintenance", []);
		if (!isRecord(answer)) throw new Failure("rpc_error", "the node answered with no block");
		const number = String(answer["number"]);
		if (!json) note(`sealed block ${number}: votes are counted, and proposals whose time is over are ended`);
		print.scalar(number);
	},
});

export const DevMine = development({
	summary: "Seal blocks of a development chain now",
	examples: ["<%= config.bin %> dev mine --blocks 5 --interval 3s"],
	args: {
		count: optional("how many; the same as --blocks"),
	},
	flags: {
		...developmentFlags,
		blocks: Flags.integer({ description: "how many", default: 1, min: 1, max: 10_000 }),
		interval: Flags.string({ description: "distance of their times", helpValue: "<duration>" }),
		at: Flags.string({ description: "time of the first", helpValue: "@<epoch ms>" }),
	},
	run: async ({ args, flags, change, print }) => {
		const block = await change("dev_mine", [
			{
				blocks: args.count === undefined ? flags.blocks : Number(parseCount(args.count)),
				intervalMs: flags.interval === undefined ? undefined : parseDuration(flags.interval),
				timestampMs:
					flags.at === undefined ? undefined : epochMs(flags.at, `--at "${flags.at}": write @<epoch ms>`),
			},
		]);
		if (!isRecord(block)) throw new Failure("rpc_error", "the node answered with no block");
		const { number, blockID, timestampMs } = block;
		print.record({ number, blockID, timestamp: timestampMs });
	},
});

export const DevReset = development({
	summary: "Let a development chain begin anew",
	examples: ["<%= config.bin %> dev reset"],
	flags: developmentFlags,
	run: async ({ change, done }) => done(await change("dev_reset", []), "the chain begins anew"),
});

const HINT =
	"coin dev snapshot takes one and prints its id; going back to a snapshot removes it and all later ones";

export const DevRevert = development({
	summary: "Bring a development chain back to a snapshot; it and all later ones are gone",
	examples: ["<%= config.bin %> dev revert 0x1"],
	args: {
		id: required("as dev snapshot printed it"),
	},
	flags: developmentFlags,
	run: async ({ args, change, done }) => {
		const answer = await change("dev_revert", [args.id]).catch((error: unknown) => {
			throw error instanceof Failure && error.code === "rpc_error" ? error.with({ hint: HINT }) : error;
		});
		done(answer, `back at the snapshot ${args.id}; it and all later ones are gone`);
	},
});

export const DevSealing = development({
	summary: "Print or set how a development chain seals blocks",
	examples: ["<%= config.bin %> dev sealing", "<%= config.bin %> dev sealing 3"],
	args: {
		mode: optional("instant, manual, or the interval in seconds (default: print it)"),
	},
	flags: developmentFlags,
	run: async ({ args, ask, change, print }) => {
		const { mode } = args;
		if (mode !== undefined) {
			if (!/^(instant|manual|[1-9]\d?)$/.test(mode)) {
				throw new Failure("bad_value", `"${mode}": use instant, manual, or 1 to 60 seconds`);
			}
			await change("dev_setSealing", [/^\d/.test(mode) ? Number(mode) : mode]);
		}
		print.scalar(String(await ask("dev_sealing", [])));
	},
});

export const DevSnapshot = development({
	summary: "Take a snapshot of a development chain and print its id",
	examples: ["<%= config.bin %> dev snapshot"],
	flags: developmentFlags,
	run: async ({ change, json, print, note }) => {
		const id = String(await change("dev_snapshot", []));
		if (!json) note(`took the snapshot ${id}: coin dev revert ${id} goes back to it, once`);
		print.scalar(id);
	},
});

export const DevSolidLag = development({
	summary: "Set how many blocks the irreversible state of a development chain lags behind",
	examples: ["<%= config.bin %> dev solid-lag 3"],
	args: {
		blocks: required("0 or more"),
	},
	flags: developmentFlags,
	run: async ({ args, change, done }) => {
		const params = [parseNatural(args.blocks).toString()];
		done(await change("dev_setSolidLag", params), `the irreversible state lags ${params[0]} blocks behind`);
	},
});

export const DevTime = development({
	summary: "Print the clock of a development chain, or move it",
	examples: ["<%= config.bin %> dev time --add 3d", "<%= config.bin %> dev time --next @1795280000000"],
	args: {
		move: optional("+<duration> or @<epoch ms>; the same as --add or --set"),
	},
	flags: {
		...developmentFlags,
		add: Flags.string({
			description: "move it forward",
			helpValue: "<duration>",
			exclusive: ["set", "next"],
		}),
		set: Flags.string({ description: "set it", helpValue: "@<epoch ms>", exclusive: ["next"] }),
		next: Flags.string({ description: "time of the next block", helpValue: "@<epoch ms>" }),
	},
	run: async ({ args, flags, ask, change, print }) => {
		const { move } = args;
		if (move !== undefined && !/^[+@]/.test(move))
			throw new Failure("bad_value", `"${move}": write +<duration> or @<epoch ms>`);
		if (move?.startsWith("+")) await change("dev_increaseTime", [parseDuration(move.slice(1))]);
		if (move?.startsWith("@")) await change("dev_setTime", [epochMs(move)]);
		if (flags.add !== undefined) await change("dev_increaseTime", [parseDuration(flags.add)]);
		if (flags.set !== undefined) await change("dev_setTime", [epochMs(flags.set)]);
		if (flags.next !== undefined) await change("dev_setNextBlockTimestamp", [epochMs(flags.next)]);
		const info = await ask("dev_info", []);
		if (!isRecord(info)) throw new Failure("rpc_error", "the node answered with no information");
		const { headTime, clockOffsetMs } = info;
		// The chain's clock is this machine's plus an offset; the newest block may be far behind it.
		const clock = BigInt(Date.now()) + answeredInteger({ name: "clockOffsetMs" }, clockOffsetMs);
		const record = { clock, timestamp: headTime, offsetMs: clockOffsetMs };
		const head = typeof headTime === "bigint" ? localTime(headTime) : headTime;
		print.record(record, { clock: localTime(clock), "newest block": head, offsetMs: clockOffsetMs });
	},
});

function epochMs(text: string, refusal = `"${text}": write a time as @<epoch ms>`): bigint {
	if (!/^@\d{1,16}$/.test(text)) throw new Failure("bad_value", refusal);
	return BigInt(text.slice(1));
}
