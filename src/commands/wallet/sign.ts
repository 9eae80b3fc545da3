import { Flags, type Interfaces } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import type { OutputKind } from "../../terminal/base/coin-command.js";
import { SendingCommand } from "../../terminal/base/sending-command.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { yesFlag } from "../../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags, passwordFlags } from "../../terminal/flags/flags.js";
import {
	envelopesAsTheyCome,
	forEachInput,
	readEnvelopes,
	streamFlags,
	transactionArgument,
} from "../../terminal/input/envelope-stream.js";
import { oneByOne } from "../../terminal/keys/one-by-one.js";
import { printJsonText } from "../../terminal/output/output.js";
import { levelOfAmount } from "../../terminal/prompt/confirmation.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure } from "../../wallet/failure.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { checkSchemes, schemesIn } from "../../wallet/node/post-quantum.js";
import {
	type Authority,
	authorityAtNode,
	authorityOfEnvelope,
	checkNotExpired,
} from "../../wallet/permission/authority.js";
import { weigh } from "../../wallet/permission/permission.js";
import { isDevice, type SigningKey } from "../../wallet/signers/signer.js";
import { describedCall } from "../../wallet/transaction/described-call.js";
import { type TransactionEnvelope, writeEnvelope } from "../../wallet/transaction/envelope.js";
import { noteFor, summaryLines } from "../../wallet/transaction/envelope-note.js";
import { coinsOf } from "../../wallet/transaction/moved-coins.js";
import { checkReference } from "../../wallet/transaction/second-source.js";
import { activeAccount, checkSigners, hasSigned, keyNamed } from "../../wallet/transaction/signing.js";

const SHORT_LIFE_MS = 30_000n;

export class WalletSign extends SendingCommand {
	static override outputKind: OutputKind = "envelope";
	static override summary = "Add a signature to a transaction";
	static override description =
		"Reads transactions from standard input or the argument and prints each with one more signature. " +
		"No password is asked for before every check that needs no key is done.";
	static override examples = [
		"<%= config.bin %> wallet send --to alice --amount 25coin --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast --wait",
		"<%= config.bin %> wallet sign --offline --signer cold < tx.json > signed.json",
	];
	static override args = transactionArgument;
	static override flags = {
		...nodeFlags,
		...keystoreFlags,
		...passwordFlags,
		...yesFlag,
		...streamFlags,
		signer: Flags.string({
			description: "key that signs (default: the active wallet), or ledger[:<index or path>]; repeatable",
			helpValue: "<wallet>",
			multiple: true,
			multipleNonGreedy: true,
		}),
		...callAbiFlag,
		all: Flags.boolean({ description: "every local key that the permission lists", exclusive: ["signer"] }),
		offline: Flags.boolean({
			description: "ask no node; believe the permission that came with the transaction",
		}),
		"skip-signed": Flags.boolean({ description: "pass on a transaction that the key has signed already" }),
		"allow-expired": Flags.boolean({ description: "sign although the time is over" }),
		raw: Flags.boolean({ description: "hexadecimal input is raw data alone, not a whole transaction" }),
		batch: Flags.boolean({
			description: "read standard input line by line, and sign each transaction as it comes",
		}),
	};

	async run(): Promise<void> {
		const { args, flags } = await this.parse(WalletSign);
		if (flags.batch && args.transaction !== undefined && args.transaction !== "-")
			throw new Failure("usage", "--batch reads standard input, not an argument");
		const envelopes = flags.batch
			? envelopesAsTheyCome(flags.raw)
			: await readEnvelopes(args.transaction, flags.raw);
		const settings = await this.settings(flags);
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi);
		this.labels = await readLabels(settings);
		const fine = await forEachInput(envelopes, flags["keep-going"], this.json, async (envelope) => {
			const authority = flags.offline
				? authorityOfEnvelope(envelope, Date.now())
				: await authorityAtNode(envelope, client);
			if (authority.changed)
				this.warning(
					"the account's permission differs from the one that came with the transaction; the account's counts",
				);
			if (!flags.offline) await checkReference(client, envelope.transaction);
			if (!flags["allow-expired"]) this.checkTime(envelope, authority);
			const keys = (await this.candidates(authority, settings, flags)).filter(
				(key) => !(flags["skip-signed"] || flags.all) || !hasSigned(envelope, key),
			);
			checkSigners(envelope, authority.permission, keys);
			const schemes = keys.flatMap((key) => (isDevice(key) ? [] : (key.scheme ?? [])));
			if (!flags.offline) await checkSchemes(client, [...schemesIn(envelope), ...schemes]);
			if (authority.approval.ready)
				this.note("the threshold is reached already: another signature only costs bytes");
			if (keys.length === 0) return printJsonText(this.line(envelope, authority));
			this.call = await describedCall(envelope.transaction.parameter, {
				client: flags.offline ? undefined : client,
				contactsFile: settings.contactsFile,
				given,
			});
			const outcome =
				flags.offline || !canAsk() ? [] : await this.outcomeLines(client, envelope, authority, schemes);
			const summary = [...this.summary(envelope, authority, keys), ...outcome];
			await this.confirm(
				levelOfAmount(coinsOf({ type: envelope.type, parameter: envelope.transaction.parameter }), settings),
				summary,
				flags.yes,
			);
			if (process.stderr.isTTY !== true) for (const line of summary) this.note(line);
			else if (this.chatty) await this.show(summary);
			const signed = await this.signWith(envelope, keys, flags, settings, summary);
			printJsonText(this.line(signed, authority));
		});
		if (!fine) process.exitCode = 1;
	}

	private checkTime(envelope: TransactionEnvelope, authority: Authority): void {
		checkNotExpired(envelope, authority);
		const left = (envelope.transaction.raw?.expiration ?? 0n) - authority.nowMs;
		if (left < SHORT_LIFE_MS) this.warning(`the transaction expires in ${left / 1000n} s`);
	}

	private async candidates(
		authority: Authority,
		settings: Settings,
		flags: Interfaces.InferredFlags<typeof WalletSign.flags>,
	): Promise<SigningKey[]> {
		if (flags.all) {
			const { entries } = await listKeystore(settings.keystoreDirectory);
			return entries.filter(
				(entry) =>
					entry.kind !== "watch" &&
					authority.permission.keys.some((key) => equalBytes(key.address, entry.address)),
			);
		}
		if (flags.signer && flags.signer.length > 0)
			return oneByOne(flags.signer, (name) => this.devices.keyNamed(settings, name));
		const address = await activeAccount(settings);
		return [await keyNamed(settings, Buffer.from(address).toString("hex"))];
	}

	/** What the transaction would come to now, where the node simulates; it may be meant for a later moment. */
	private async outcomeLines(
		client: NodeClient,
		envelope: TransactionEnvelope,
		{ permission }: Authority,
		schemes: readonly PostQuantumScheme[],
	): Promise<string[]> {
		const { leastSignatures } = await import("../../wallet/permission/permission.js");
		const { simulate } = await import("../../wallet/actions/simulate.js");
		const outcome = await simulate(client, envelope, leastSignatures(permission), undefined, schemes);
		if (!outcome) return [];
		const { simulationLines } = await import("../../wallet/view/simulation-view.js");
		return (await simulationLines(client, outcome)).map((line) => labelled(line, this.labels));
	}

	private summary(
		envelope: TransactionEnvelope,
		authority: Authority,
		keys: readonly SigningKey[],
	): string[] {
		const after = weigh(authority.permission, [...envelope.signers, ...keys.map((key) => key.address)]);
		const unverified =
			authority.source === "envelope" ? ["  permission  as it came with the transaction, unverified"] : [];
		const weightBefore = authority.approval.weight;
		const facts = { ...authority, approval: after, weightBefore, call: this.call };
		const lines = [...summaryLines(envelope, facts), ...unverified];
		return lines.map((line) => labelled(line, this.labels));
	}

	private line(envelope: TransactionEnvelope, { chain, permission }: Authority): string {
		return writeEnvelope(
			envelope,
			noteFor(envelope, {
				chain,
				permission,
				approval: weigh(permission, envelope.signers),
				call: this.call,
			}),
		);
	}
}
