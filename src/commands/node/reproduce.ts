/** `coin node reproduce`: re-executes a disputed block from its bundle alone. */

import { Args, Flags } from "@oclif/core";
import { reproduceFile } from "../../launch/fault-work.js";
import type { Verdict } from "../../node/faults/reproduce.js";
import type { TracedCall } from "../../node/tracing/call-trace.js";
import { toBase58Check } from "../../protocol/address.js";
import { OperatorError } from "../../protocol/operator-error.js";
import { command } from "../../terminal/base/command-row.js";
import { TextList } from "../../terminal/output/output.js";
import { list, one, record } from "../../terminal/schema/result-shape.js";
import { Failure } from "../../wallet/failure.js";

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 86_400;

/** Reason for exit code 1. */
const REASONS: Readonly<Record<Exclude<Verdict, "as recorded">, string>> = {
	reproduced: "this program comes to the same as where the bundle was made: it has the fault",
	different: "this program comes neither to what was recorded nor to what the bundle's node computed",
	undecided: "the bundle lacks what it takes to tell",
};

export const NodeReproduce = command({
	summary: "Execute the block of a fault bundle again, and show where it differs",
	description:
		"A node writes a bundle where it refuses a block of a witness, or differs from the node that it is compared with: " +
		"<data>/faults. It is executed here without a chain, a node or a configuration, and the first transaction that differs is " +
		"traced. The exit code is 0 where all comes out as it was recorded, 1 where it doesn't (reproduced, different) or can't be " +
		"told (undecided), and 2 for a file that is not a bundle.",
	examples: [
		"<%= config.bin %> node reproduce output-directory/faults/00000000000071234567-0a1b2c3d4e5f6071.fault",
	],
	result: one(
		record({
			verdict: "text",
			kind: "text",
			program: "text",
			block: "int64",
			blockID: "hex",
			"transaction?": "hex",
			recorded: "text",
			computed: "text",
			now: "text",
			"reason?": "text",
			differences: list(record({ subject: "text", what: "text", ours: "text", theirs: "text" })),
			entries: list("text"),
			trace: list("text"),
		}),
	),
	args: { bundle: Args.string({ required: true, description: "file of the bundle" }) },
	flags: {
		timeout: Flags.integer({
			description: "seconds that the block may take",
			default: DEFAULT_SECONDS,
			min: 1,
			max: MAX_SECONDS,
		}),
	},
	run: async ({ args, flags, print }) => {
		const { bundle, result } = await reproduceFile(args.bundle, flags.timeout * 1000).catch(
			(error: unknown) => {
				if (error instanceof OperatorError) throw new Failure("bad_value", error.message);
				throw error;
			},
		);
		const { verdict, transaction, recorded, computed, now, reason, entries } = result;
		const trace = result.trace ? callLines(result.trace) : [];
		const { kind, program, block, differences } = bundle;
		const value = {
			verdict,
			kind,
			program,
			block: block.number,
			blockID: block.idHex,
			transaction,
			recorded,
			computed,
			now,
			reason,
			differences,
			entries,
			trace,
		};
		print.record(value, {
			...value,
			differences: new TextList(
				differences.map(
					({ subject, what, ours, theirs }) => `${subject} ${what}: ${ours}, the other node: ${theirs}`,
				),
			),
			entries: new TextList(entries),
			trace: new TextList(trace),
		});
		if (verdict === "reproduced" && kind === "audit")
			throw new Failure(
				"fault_found",
				"this program comes to the same as where the bundle was made: one of the two nodes has a fault",
			);
		if (verdict !== "as recorded") throw new Failure("fault_found", REASONS[verdict]);
	},
});

/** Maximum number of calls shown. */
const MAX_LINES = 1_000;
/** Maximum digits shown of call data and results. */
const MAX_DIGITS = 200;

/** One line per call, nested calls indented. */
function callLines(root: TracedCall): string[] {
	const lines: string[] = [];
	const add = (call: TracedCall): void => {
		if (lines.length >= MAX_LINES) return;
		const { depth, kind, caller, address, value, input, output, energyUsed, reverted, failure, logs } = call;
		const end = reverted ? "reverted" : (failure?.message ?? "returned");
		const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex").slice(0, MAX_DIGITS);
		lines.push(
			`${"  ".repeat(depth)}${kind} ${toBase58Check(caller)} to ${toBase58Check(address)}, ${value} sun, input ${hex(input) || "none"}: ${end} ${hex(output)}, ${energyUsed} energy, ${logs.length} logs`,
		);
		for (const inner of call.calls) add(inner);
	};
	add(root);
	return lines;
}
