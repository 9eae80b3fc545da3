import { Flags, type Interfaces } from "@oclif/core";
import { toBase58Check } from "../../protocol/address.js";
import { toHex } from "../../protocol/bytes.js";
import {
	type DevelopmentCommandContext,
	development,
	developmentFlags,
} from "../../terminal/base/development-command.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import {
	interfacesFlag,
	interfacesOf,
	traceCallCalls,
	traceTransactionCalls,
} from "../../terminal/contract/call-trace.js";
import {
	abiFlag,
	interfaceFlag,
	namedCall,
	valueFlags,
	valuesOf,
} from "../../terminal/contract/contract-input.js";
import { required } from "../../terminal/flags/flags.js";
import { printJson, printLine } from "../../terminal/output/output.js";
import { joinedInterfaces } from "../../wallet/abi/signature-list.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import { isRecord, type Json, type JsonRecord } from "../../wallet/json.js";
import { answeredInteger } from "../../wallet/node/answer.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { NamedAmounts } from "../../wallet/token/named-amount.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import { type CallView, callLines } from "../../wallet/view/call-view.js";

const traceFlags = {
	...developmentFlags,
	...abiFlag,
	...valueFlags,
	...interfacesFlag,
	call: Flags.string({ description: "trace a call of this contract", helpValue: "<contract>" }),
	from: Flags.string({
		description: "account that calls (the active wallet)",
		helpValue: "<account>",
		dependsOn: ["call"],
	}),
	calls: Flags.boolean({
		description: "the calls as a tree instead: functions, values, energy, results, events",
		exclusive: ["stack", "memory", "storage"],
	}),
	stack: Flags.boolean({ description: "the stack before each operation, its top last" }),
	memory: Flags.boolean({ description: "the memory before each operation" }),
	storage: Flags.boolean({ description: "the slots touched so far" }),
};

type TraceContext = DevelopmentCommandContext<Interfaces.ArgInput, typeof traceFlags>;

export const DevTrace = development({
	takesIds: true,
	summary: "Trace a transaction of a development chain, or a call, operation by operation",
	description:
		"A line for each operation: depth, position, name, energy left and used; with --stack, --memory or --storage " +
		"what it found there. --json prints a JSON object for each.",
	usage: "dev trace <transaction> | coin dev trace --call <contract> <function> [<argument>...]",
	examples: [
		"<%= config.bin %> dev trace 4f0c…",
		"<%= config.bin %> dev trace 4f0c… --calls",
		"<%= config.bin %> dev trace --call TMVQ… 'get()' --stack",
	],
	strict: false,
	args: {
		subject: required("transaction id, or the function"),
	},
	flags: traceFlags,
	run: async (context) => {
		const { argv: words, flags, json, print, note } = context;
		if (flags.calls) {
			const tree = await callsOf(context);
			return print.record(tree, callLines(tree));
		}
		const answer =
			flags.call === undefined
				? await context.ask("debug_traceTransaction", [`0x${onlyId(words)}`])
				: await context.ask("debug_traceCall", [await callObject(context, flags.call)]);
		const { structLogs, failed } = isRecord(answer) ? answer : {};
		if (!Array.isArray(structLogs)) throw new Failure("rpc_error", "the node answered with no trace");
		const steps = structLogs.filter(isRecord);
		for (const [index, step] of steps.entries())
			printStep(step, operandOf(step, steps[index + 1]), { ...flags, json });
		if (failed !== true) return;
		// The list of operations lacks the return data; what was recorded of the call was printed above.
		const { reason } = await callsOf({ ...context, note: () => undefined });
		note(reason === undefined ? "the execution failed" : `the execution failed: ${reason}`);
	},
});

async function callsOf({ argv, flags, settings, ask, note }: TraceContext): Promise<CallView> {
	const client = new NodeClient(await settings());
	const own = (await interfaceFlag(flags.abi, client.settings, client)) ?? [];
	const given = joinedInterfaces(own, await interfacesOf(client.settings, flags.artifact));
	if (flags.call !== undefined) {
		return traceCallCalls(client, await callObject({ argv, flags, settings, note }, flags.call), ask, given);
	}
	const id = parseTransactionId(onlyId(argv));
	return (await traceTransactionCalls(client, id, ask, given)).tree;
}

function onlyId(words: readonly string[]): string {
	const [id, ...more] = words;
	if (more.length > 0) throw new Failure("usage", "one transaction at a time; --call traces a call");
	return toHex(parseTransactionId(id ?? ""));
}

/** A call as a JSON-RPC parameter. */
async function callObject(
	{ argv, flags, settings: load, note }: Pick<TraceContext, "argv" | "flags" | "settings" | "note">,
	contract: string,
): Promise<Readonly<Record<string, string>>> {
	const [signature, ...texts] = argv;
	const settings = await load();
	const words = { address: contract, signature, arguments: texts, abi: flags.abi, data: undefined };
	const client = new NodeClient(settings);
	const amounts = new NamedAmounts(client, false);
	const call = await namedCall(words, settings, client, amounts);
	const { valueSun, tokenId, tokenValue } = await valuesOf(flags, amounts);
	const quantities = Object.entries({ value: valueSun, tokenId, tokenValue }).flatMap(([name, units]) =>
		units === undefined ? [] : [[name, `0x${units.toString(16)}`]],
	);
	const caller = await callerOf(settings, flags.from);
	if (!caller) note("called by the zero address: no account is active, and --from names none");
	else if (flags.from === undefined) note(`called by the active account, ${toBase58Check(caller)}`);
	return {
		to: toHex(call.contract),
		data: `0x${toHex(call.data)}`,
		...(caller === undefined ? {} : { from: toHex(caller) }),
		...Object.fromEntries(quantities),
	};
}

function printStep(
	step: JsonRecord,
	operand: string | undefined,
	shown: {
		readonly stack: boolean;
		readonly memory: boolean;
		readonly storage: boolean;
		readonly json: boolean;
	},
): void {
	const { depth, pc, op, gas, gasCost, stack, memory, storage } = step;
	const isQuantity = typeof gas === "string" && /^0x[\da-f]{1,16}$/i.test(gas);
	const left = isQuantity ? BigInt(gas) : answeredInteger({ name: "gas" }, gas);
	if (shown.json) {
		printJson({
			depth: Number(depth),
			pc: Number(pc),
			op,
			...(operand === undefined ? {} : { operand }),
			energy: left,
			cost: gasCost,
			...(shown.stack ? { stack } : {}),
			...(shown.memory ? { memory } : {}),
			...(shown.storage ? { storage } : {}),
		});
		return;
	}
	const place = `${"  ".repeat(Math.max(0, Number(depth) - 1))}${String(pc).padStart(5)}`;
	const energy = String(left);
	printLine(
		`${place}  ${[op, operand].filter(Boolean).join(" ").padEnd(14)} ${energy.padStart(12)} -${String(gasCost)}`,
	);
	if (shown.stack) for (const word of list(stack)) printLine(`        stack   ${word}`);
	if (shown.memory) for (const word of list(memory)) printLine(`        memory  ${word}`);
	if (shown.storage && isRecord(storage)) {
		for (const [slot, value] of Object.entries(storage))
			printLine(`        storage ${slot}: ${String(value)}`);
	}
}

/** The calling account; undefined if none is named and there isn't exactly one candidate. */
async function callerOf(settings: Settings, from: string | undefined): Promise<Uint8Array | undefined> {
	const caller = accountOrActive(settings, from);
	return from === undefined ? caller.catch(onRefusal(undefined, "usage")) : caller;
}

/** The value of a PUSH: its immediate bytes, taken from the stack at the next step of the same call. */
function operandOf({ op, depth }: JsonRecord, next: JsonRecord | undefined): string | undefined {
	const bytes = Number(/^PUSH([1-9]\d?)$/.exec(String(op))?.[1] ?? 0);
	if (bytes === 0 || !next || next["depth"] !== depth) return undefined;
	const top = list(next["stack"]).at(-1);
	return top === undefined
		? undefined
		: `0x${top
				.replace(/^0x/, "")
				.padStart(64, "0")
				.slice(-2 * bytes)}`;
}

function list(value: Json | undefined): readonly string[] {
	return Array.isArray(value) ? value.map(String) : [];
}
