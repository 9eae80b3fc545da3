/** `coin tx prove` and `verify`: inclusion proofs that need no trusted node (protocol/inclusion-proof). */

import { Flags } from "@oclif/core";
import { installRecoverEngine } from "../../node/signatures/engine.js";
import { MAX_PROOF_LENGTH } from "../../protocol/inclusion/proof.js";
import { verifyInclusion } from "../../protocol/inclusion/verify.js";
import { InclusionError, MAX_SET_LENGTH, type WitnessSet } from "../../protocol/inclusion/witness-set.js";
import { command, query } from "../../terminal/base/command-row.js";
import { parseTransactionId } from "../../terminal/base/node-questions.js";
import { nodeFlags, required } from "../../terminal/flags/flags.js";
import { writeNewFile } from "../../terminal/output/new-file.js";
import { printBytes } from "../../terminal/output/output.js";
import { one } from "../../terminal/schema/result-shape.js";
import { inclusionShape } from "../../terminal/schema/view-shapes.js";
import { readBoundedFile } from "../../wallet/bounded-file.js";
import { Failure } from "../../wallet/failure.js";
import { proveInclusion } from "../../wallet/inclusion/prove.js";
import { witnessSetNamed } from "../../wallet/inclusion/witness-keys.js";
import { inclusionLines, viewInclusion } from "../../wallet/view/inclusion-view.js";

const readSet = (name: string): Promise<WitnessSet> =>
	witnessSetNamed(name, async (path) => readBoundedFile(path, MAX_SET_LENGTH).toString("utf8"));

export const TxProve = query({
	takesIds: true,
	summary: "Make a proof that a transaction is in an irreversible block",
	description:
		"One file with the transaction, its path to the block's root, the block's header and those after it up to the one by which two " +
		"thirds of the witnesses have built on it. Whoever has it checks it without a node: coin tx verify.",
	examples: ["<%= config.bin %> tx prove 4f0c…", "<%= config.bin %> tx prove 4f0c… --out payment.proof"],
	args: { id: required("transaction id") },
	flags: {
		...nodeFlags,
		out: Flags.string({ description: "new file to write (default: standard output)", helpValue: "<path>" }),
		witnesses: Flags.string({
			description:
				"go on until two thirds of these have built on the block: a file of coin witness keys, or main (default: any witnesses)",
			helpValue: "<file|checkpoint>",
		}),
	},
	run: async ({ args, flags, client, print }) => {
		const trusted = flags.witnesses === undefined ? undefined : await readSet(flags.witnesses);
		installRecoverEngine();
		const proof = await proveInclusion(client, parseTransactionId(args.id), trusted);
		if (flags.out === undefined) return printBytes(Buffer.from(proof));
		await writeNewFile(flags.out, proof);
		print.record({ file: flags.out, bytes: proof.length });
	},
});

export const TxVerify = command({
	summary: "Check a proof of a transaction, without a node",
	description:
		"Says what is proven, by whom, and what is not. The witnesses that count come from you: a file that coin witness keys wrote at a " +
		"node that you trust, or main, the set of the main network that this program brings along. Nothing is asked of any network.",
	examples: ["<%= config.bin %> tx verify paid.proof --witnesses witnesses.json"],
	result: one(inclusionShape),
	args: { file: required("file of a proof") },
	flags: {
		witnesses: Flags.string({
			description: "the witnesses that you trust: a file of coin witness keys, or main",
			helpValue: "<file|checkpoint>",
			required: true,
		}),
	},
	run: async ({ args, flags, print }) => {
		const trusted = await readSet(flags.witnesses);
		const proof = readBoundedFile(args.file, MAX_PROOF_LENGTH);
		installRecoverEngine();
		try {
			const proven = await verifyInclusion(proof, trusted);
			const view = await viewInclusion(proven, trusted);
			print.record(view, inclusionLines(view, proven, trusted));
		} catch (error) {
			if (error instanceof InclusionError) throw new Failure("proof_invalid", error.message);
			throw error;
		}
	},
});
