import { readFile } from "node:fs/promises";
import { equalBytes } from "../../protocol/bytes.js";
import { Transaction } from "../../protocol/messages.js";
import { SignedTransaction } from "../../protocol/transaction.js";
import { CoinCommand, type OutputKind } from "../../terminal/base/coin-command.js";
import { readStdin, splitValues, stdinIsPiped } from "../../terminal/input/stdin.js";
import { printJsonText } from "../../terminal/output/output.js";
import { Failure } from "../../wallet/failure.js";
import { member } from "../../wallet/json.js";
import { authorityOfEnvelope } from "../../wallet/permission/authority.js";
import {
	envelopeOf,
	readEnvelope,
	type TransactionEnvelope,
	writeEnvelope,
} from "../../wallet/transaction/envelope.js";
import { noteFor } from "../../wallet/transaction/envelope-note.js";

export default class WalletMerge extends CoinCommand {
	static override outputKind: OutputKind = "envelope";
	static override summary = "Put the signatures of copies of one transaction together";
	static override description =
		"Takes files (or - for standard input) with copies that were signed in parallel.";
	static override examples = [
		"<%= config.bin %> wallet merge pay.ann.json pay.bob.json | <%= config.bin %> wallet broadcast",
	];
	static override strict = false;
	static override usage = "wallet merge <file>...";

	async run(): Promise<void> {
		const { argv } = await this.parse(WalletMerge);
		const files = argv.length === 0 && stdinIsPiped() ? ["-"] : (argv as string[]);
		if (files.length === 0)
			throw new Failure("usage", "no copies: name their files, or - for standard input");
		const texts = await Promise.all(
			files.map((file) => (file === "-" ? readStdin("the copies") : readFile(file, "utf8"))),
		);
		const copies = texts.flatMap(splitValues).map((value) => readEnvelope(value));
		const [first, ...others] = copies;
		if (!first) throw new Failure("stdin_empty", "the files hold no transaction");
		const stranger = others.find((copy) => copy.transaction.idHex !== first.transaction.idHex);
		if (stranger) {
			throw new Failure(
				"transaction_mismatch",
				`these are two transactions: ${first.transaction.idHex} and ${stranger.transaction.idHex}`,
			);
		}
		printJsonText(mergedLine(first, copies));
	}
}

function mergedLine(first: TransactionEnvelope, copies: readonly TransactionEnvelope[]): string {
	const carrier = copies.find((copy) => member(copy.coin, "permission") !== undefined) ?? first;
	const signatures = new Map<string, { signer: Uint8Array; signature: Uint8Array }>();
	for (const copy of copies) {
		copy.signers.forEach((signer, index) => {
			const signature = copy.transaction.message.signature[index] as Uint8Array;
			signatures.set(Buffer.from(signer).toString("hex"), { signer, signature });
		});
	}
	const merged = Transaction.copy(first.transaction.message);
	const known = member(carrier.coin, "permission") !== undefined;
	const order = known ? authorityOfEnvelope(carrier, 0).permission.keys.map((key) => key.address) : [];
	const place = (signer: Uint8Array): number => {
		const index = order.findIndex((address) => equalBytes(address, signer));
		return index < 0 ? order.length : index;
	};
	merged.signature = [...signatures.values()]
		.sort((a, b) => place(a.signer) - place(b.signer))
		.map(({ signature }) => signature);
	const envelope = envelopeOf(new SignedTransaction(merged), carrier.coin);
	if (!known) return writeEnvelope(envelope, envelope.coin);
	return writeEnvelope(envelope, noteFor(envelope, { ...authorityOfEnvelope(envelope, 0) }));
}
