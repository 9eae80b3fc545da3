import { Flags, type Interfaces } from "@oclif/core";
import { toHex } from "../../protocol/bytes.js";
import {
	actingFlags,
	decimalsFlags,
	feeLimitFlags,
	requestedFeeLimit,
	statedDecimals,
} from "../../terminal/flags/acting-flags.js";
import { optional } from "../../terminal/flags/flags.js";
import { streamFlags } from "../../terminal/input/envelope-stream.js";
import { asFailure } from "../../terminal/output/failure-report.js";
import { checkNewFile, writeNewFile } from "../../terminal/output/new-file.js";
import { type ActingPlan, act, actorOf, schemesOf } from "../../terminal/sending/act.js";
import { paymentPlan } from "../../terminal/sending/own-recipients.js";
import { payBatch } from "../../terminal/sending/pay.js";
import { sending } from "../../terminal/sending/rows.js";
import type { Session } from "../../terminal/sending/session.js";
import { Failure } from "../../wallet/failure.js";
import { proveInclusion } from "../../wallet/inclusion/prove.js";
import type { NodeClient } from "../../wallet/node/node-client.js";
import { paymentInParts } from "../../wallet/token/named-amount.js";
import { memoBytes } from "../../wallet/values/bytes-text.js";

// Payments that also write an inclusion proof (protocol/inclusion-proof).

/** Extends a plan to write the proof once its transaction is irreversible. @param file must not exist yet */
export function withProof(session: Session, client: NodeClient, plan: ActingPlan, file: string): ActingPlan {
	let id: Uint8Array | undefined;
	return {
		...plan,
		beforeSending: async (envelope) => {
			id = envelope.transaction.id;
			await plan.beforeSending?.(envelope);
		},
		afterwards: async () => {
			await plan.afterwards?.();
			if (!id) return;
			const txID = toHex(id);
			try {
				await writeNewFile(file, await proveInclusion(client, id));
			} catch (error) {
				const hint = `coin tx prove ${txID} --out <new file>`;
				throw asFailure(error).with({ sent: true, txID, hint });
			}
			session.note(`the proof of the payment is in ${file}`);
		},
	};
}

const sendFlags = {
	...actingFlags,
	...feeLimitFlags,
	...decimalsFlags,
	...streamFlags,
	to: Flags.string({ description: "recipient", helpValue: "<account>", exclusive: ["batch"] }),
	amount: Flags.string({
		description: "how much, with its unit or token (12.5coin, 5@GOLD), or max",
		helpValue: "<amount>",
		exclusive: ["batch"],
	}),
	token: Flags.string({
		description: "ORC-10 token by id, name or symbol, ORC-20 token by its contract (default: the coin)",
		helpValue: "<token>",
		exclusive: ["batch"],
	}),
	proof: Flags.string({
		description: "new file for a proof that the payment is irreversible (coin tx verify); with --wait",
		helpValue: "<path>",
		dependsOn: ["wait"],
		exclusive: ["batch"],
	}),
	batch: Flags.string({
		description: "many payments: lines of JSON or a CSV with to,amount,token,memo; - for standard input",
		helpValue: "<file>",
	}),
	resume: Flags.boolean({
		description: "pay the lines of the batch that its journal doesn't know as paid or printed",
		dependsOn: ["batch"],
	}),
	journal: Flags.string({
		description:
			"what was sent or printed of the batch (default: <batch>.journal; needed for a list from a pipe)",
		helpValue: "<file>",
		dependsOn: ["batch"],
	}),
};

export const WalletSend = sending({
	outputKind: "acts",
	summary: "Send coins or tokens",
	aliases: ["send"],
	usage: "wallet send (<to> <amount> | --batch <file>) [flags]",
	description:
		"Builds the transfer at the node, checks the bytes, signs with a key of the keystore and broadcasts. " +
		"An amount carries its unit: 12.5coin or 12500000sun, or its token: 5@GOLD is 5 with --token GOLD; max is everything but the fees. " +
		"A file of payments is read and judged whole before the first signature, and asked about once; what was sent, or printed by --build and --sign, stands in " +
		"<file>.journal, which keeps a line from being paid twice, and --resume goes on with the others (--dry-run shows which). A list from standard input needs " +
		"--journal.",
	examples: [
		"<%= config.bin %> wallet send alice 25coin --wait",
		"<%= config.bin %> wallet send alice 25coin --wait --proof payment.proof",
		"<%= config.bin %> wallet send --to TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC --amount 1_000sun --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast",
		"<%= config.bin %> wallet send --to alice --amount 12.5 --token GOLD",
		"<%= config.bin %> wallet send --batch pay.csv --password-file pw",
	],
	args: {
		to: optional("recipient; the same as --to"),
		amount: optional("how much; the same as --amount"),
	},
	flags: sendFlags,
	run: async ({ args, flags, session }) => {
		const [to, amount] = [givenOnce("to", args.to, flags), givenOnce("amount", args.amount, flags)];
		const { batch, proof } = flags;
		if (batch !== undefined && flags.decimals !== undefined)
			throw new Failure(
				"conflicting_flags",
				"--decimals is that of one token: a list goes with --trust-node",
			);
		if (batch !== undefined) return await payBatch(session, { ...flags, batch });
		if (to === undefined || amount === undefined) {
			throw new Failure("usage", to === undefined ? "no recipient is named" : "no amount is given", {
				hint: "such as coin send alice 25coin",
			});
		}
		const payment = paymentInParts({ to, amount, token: flags.token });
		if (proof !== undefined) await checkNewFile(proof);
		const actor = await actorOf(session, flags);
		const transfer = await paymentPlan(actor, payment, {
			...requestedFeeLimit(flags),
			decimals: statedDecimals(flags),
			permission: flags.permission,
			memo: memoBytes(flags.memo),
			signers: flags.signer?.length,
			postQuantum: await schemesOf(session, actor, flags),
			offline: flags.offline,
		});
		const plan = { ...transfer, takesDecimals: true };
		await act(
			session,
			actor,
			flags,
			proof === undefined ? plan : withProof(session, actor.client, plan, proof),
		);
	},
});

/** A value given as argument or flag. @throws {Failure} `conflicting_flags` for both, or with a list */
function givenOnce(
	name: "to" | "amount",
	argument: string | undefined,
	flags: Interfaces.InferredFlags<typeof sendFlags>,
): string | undefined {
	if (argument !== undefined && flags[name] !== undefined) {
		throw new Failure("conflicting_flags", `"${argument}" and --${name} both give the same thing: use one`);
	}
	if (argument !== undefined && flags.batch !== undefined) {
		throw new Failure("conflicting_flags", `"${argument}" can't go with --batch, which names every payment`);
	}
	return argument ?? flags[name];
}
