import { Flags, type Interfaces } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { equalBytes } from "../../protocol/bytes.js";
import { AccountPermissionUpdateContract } from "../../protocol/messages.js";
import type { PostQuantumScheme } from "../../protocol/post-quantum/schemes.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { yesFlag } from "../../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags, passwordFlags } from "../../terminal/flags/flags.js";
import {
	envelopesAsTheyCome,
	forEachInput,
	readEnvelopes,
	readInputs,
	streamFlags,
	transactionArgument,
} from "../../terminal/input/envelope-stream.js";
import { oneByOne } from "../../terminal/keys/devices.js";
import { printJsonText } from "../../terminal/output/output.js";
import { amountReason, higher, levelOfAmount } from "../../terminal/prompt/confirmation.js";
import { canAsk } from "../../terminal/prompt/controlling-terminal.js";
import { sending } from "../../terminal/sending/rows.js";
import { confirm, type Session, show, signEnvelope } from "../../terminal/sending/session.js";
import { withFate } from "../../wallet/actions/follow.js";
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
import { type DescribedCall, describedCall } from "../../wallet/transaction/described-call.js";
import { type TransactionEnvelope, writeEnvelope } from "../../wallet/transaction/envelope.js";
import { noteFor, summaryLines } from "../../wallet/transaction/envelope-note.js";
import { coinsOf } from "../../wallet/transaction/moved-coins.js";
import { riskLine, riskOf } from "../../wallet/transaction/risks.js";
import { checkReference } from "../../wallet/transaction/second-source.js";
import { activeAccount, checkSigners, hasSigned, keyNamed } from "../../wallet/transaction/signing.js";

const SHORT_LIFE_MS = 30_000n;

const signFlags = {
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

export const WalletSign = sending({
	outputKind: "envelope",
	summary: "Add a signature to a transaction",
	description:
		"Reads transactions from standard input or the argument and prints each with one more signature. " +
		"No password is asked for before every check that needs no key is done.",
	examples: [
		"<%= config.bin %> wallet send --to alice --amount 25coin --build | <%= config.bin %> wallet sign | <%= config.bin %> wallet broadcast --wait",
		"<%= config.bin %> wallet sign --offline --signer cold < tx.json > signed.json",
	],
	args: transactionArgument,
	flags: signFlags,
	run: async ({ args, flags, session, settings: load }) => {
		if (flags.batch && args.transaction !== undefined && args.transaction !== "-")
			throw new Failure("usage", "--batch reads standard input, not an argument");
		const envelopes = flags.batch
			? envelopesAsTheyCome(flags.raw)
			: flags["keep-going"]
				? await readInputs(args.transaction, flags.raw)
				: await readEnvelopes(args.transaction, flags.raw);
		const settings = await load();
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi, settings, flags.offline ? undefined : client);
		const labels = await readLabels(settings);
		const fine = await forEachInput(envelopes, flags["keep-going"], session.json, async (envelope) => {
			const told = async (error: unknown): Promise<never> => {
				throw flags.offline ? error : await withFate(client, envelope, error);
			};
			const authority = flags.offline
				? authorityOfEnvelope(envelope, Date.now())
				: await authorityAtNode(envelope, client).catch(told);
			if (authority.changed)
				session.warning(
					"the account's permission differs from the one that came with the transaction; the account's counts",
				);
			if (!flags.offline) await checkReference(client, envelope.transaction);
			if (!flags["allow-expired"]) await checkTime(session, envelope, authority).catch(told);
			const keys = (await candidates(session, authority, settings, flags)).filter(
				(key) => !(flags["skip-signed"] || flags.all) || !hasSigned(envelope, key),
			);
			checkSigners(envelope, authority.permission, keys);
			const schemes = keys.flatMap((key) => (isDevice(key) ? [] : (key.scheme ?? [])));
			if (!flags.offline) await checkSchemes(client, [...schemesIn(envelope), ...schemes]);
			if (authority.approval.ready)
				session.note("the threshold is reached already: another signature only costs bytes");
			if (keys.length === 0) return printJsonText(lineOf(envelope, authority, undefined));
			const call = await describedCall(envelope.transaction.parameter, {
				client: flags.offline ? undefined : client,
				contactsFile: settings.contactsFile,
				given,
			});
			const outcome =
				flags.offline || !canAsk() ? [] : await outcomeLines(client, envelope, authority, schemes);
			const grave = await graveLines(session, envelope, settings, flags.offline ? undefined : client);
			const lines = [...summaryOfSigning(envelope, authority, keys, call), ...grave, ...outcome];
			const summary = lines.map((line) => labelled(line, labels));
			const { type } = envelope;
			const amount = coinsOf({ type, parameter: envelope.transaction.parameter });
			const level = higher(grave.length > 0 ? 2 : 0, levelOfAmount(amount, settings));
			await confirm(session, level, summary, flags.yes, amountReason(amount, settings));
			if (process.stderr.isTTY !== true) for (const line of summary) session.note(line);
			else if (session.chatty) await show(session, summary);
			const signed = await signEnvelope(session, envelope, keys, settings, { summary, call, labels });
			printJsonText(lineOf(signed, authority, call));
		});
		if (!fine) process.exitCode = 1;
	},
});

/** Risks that need confirmation whoever built the transaction, as in the building commands. */
async function graveLines(
	session: Session,
	{ transaction: { parameter } }: TransactionEnvelope,
	settings: Settings,
	client: NodeClient | undefined,
): Promise<readonly string[]> {
	if (parameter instanceof AccountPermissionUpdateContract) {
		const { reviewedUpdate } = await import("../../wallet/permission/key-facts.js");
		const { lines, remarks } = (await reviewedUpdate(settings, client, parameter)) ?? {};
		for (const { message } of remarks ?? []) session.warning(message);
		const from = lines?.length ? ", from what the node says of them" : "";
		return [
			`  changes     the permissions of the account${from}`,
			...(lines ?? []).map((line) => `  ${line}`),
		];
	}
	const risk = riskOf({ parameter });
	return risk === undefined ? [] : [riskLine(risk)];
}

async function checkTime(
	session: Session,
	envelope: TransactionEnvelope,
	authority: Authority,
): Promise<void> {
	checkNotExpired(envelope, authority);
	const left = (envelope.transaction.raw?.expiration ?? 0n) - authority.nowMs;
	if (left < SHORT_LIFE_MS) session.warning(`the transaction expires in ${left / 1000n} s`);
}

async function candidates(
	{ devices }: Session,
	authority: Authority,
	settings: Settings,
	flags: Interfaces.InferredFlags<typeof signFlags>,
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
		return oneByOne(flags.signer, (name) => devices.keyNamed(settings, name));
	const address = await activeAccount(settings);
	return [await keyNamed(settings, Buffer.from(address).toString("hex"))];
}

/** The simulated outcome as of now, if the node simulates; it may be meant for later. */
async function outcomeLines(
	client: NodeClient,
	envelope: TransactionEnvelope,
	{ permission }: Authority,
	schemes: readonly PostQuantumScheme[],
): Promise<readonly string[]> {
	const { leastSignatures } = await import("../../wallet/permission/permission.js");
	const { simulate } = await import("../../wallet/actions/simulate.js");
	const outcome = await simulate(client, envelope, leastSignatures(permission), undefined, schemes);
	if (!outcome) return [];
	const { simulationLines } = await import("../../wallet/view/simulation-view.js");
	return await simulationLines(client, outcome);
}

function summaryOfSigning(
	envelope: TransactionEnvelope,
	authority: Authority,
	keys: readonly SigningKey[],
	call: DescribedCall | undefined,
): string[] {
	const approval = weigh(authority.permission, [...envelope.signers, ...keys.map((key) => key.address)]);
	const unverified =
		authority.source === "envelope" ? ["  permission  as it came with the transaction, unverified"] : [];
	const facts = { ...authority, approval, weightBefore: authority.approval.weight, call };
	return [...summaryLines(envelope, facts), ...unverified];
}

function lineOf(
	envelope: TransactionEnvelope,
	{ chain, permission }: Authority,
	call: DescribedCall | undefined,
): string {
	const approval = weigh(permission, envelope.signers);
	return writeEnvelope(envelope, noteFor(envelope, { chain, permission, approval, call }));
}
