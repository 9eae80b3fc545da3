/** `coin wallet …`: transactions exchanged between machines before they are sent. */

import { readFile } from "node:fs/promises";
import { Flags } from "@oclif/core";
import { listKeystore } from "../../keystore/keystore.js";
import { writePrivateFile } from "../../keystore/private-file.js";
import { toBase58Check } from "../../protocol/address.js";
import { equalBytes } from "../../protocol/bytes.js";
import { getField, type Message, type MessageType, setField } from "../../protocol/codec/descriptor.js";
import { contractTypeById, contractTypeByName, contractTypes } from "../../protocol/contract-types.js";
import { hasWireName, NamedError } from "../../protocol/json/exceptions.js";
import { decodeFields } from "../../protocol/json/field-decoder.js";
import { TransferAssetContract, TransferContract } from "../../protocol/messages.js";
import { accountArgument, command } from "../../terminal/base/command-row.js";
import { callAbiFlag, interfaceFlag } from "../../terminal/contract/contract-input.js";
import { actingFlags, waitFlags, yesFlag } from "../../terminal/flags/acting-flags.js";
import { keystoreFlags, nodeFlags, required } from "../../terminal/flags/flags.js";
import {
	forEachInput,
	readEnvelopes,
	readInputs,
	streamFlags,
	transactionArgument,
} from "../../terminal/input/envelope-stream.js";
import { givenStdin, readStdin, splitValues, stdinIsPiped } from "../../terminal/input/stdin.js";
import { printJsonText, printLine, printText } from "../../terminal/output/output.js";
import { act, actorOf } from "../../terminal/sending/act.js";
import { sending } from "../../terminal/sending/rows.js";
import { sendAndReport } from "../../terminal/sending/send.js";
import { confirm, explainedInput } from "../../terminal/sending/session.js";
import { withFate } from "../../wallet/actions/follow.js";
import { checkNotContract } from "../../wallet/actions/transfer.js";
import { labelled, readLabels } from "../../wallet/configuration/labels.js";
import type { Settings } from "../../wallet/configuration/settings.js";
import { Failure, onRefusal } from "../../wallet/failure.js";
import { member } from "../../wallet/json.js";
import { NodeClient } from "../../wallet/node/node-client.js";
import { checkSchemes, schemesIn, schemesOff } from "../../wallet/node/post-quantum.js";
import { knownStatus, type TransactionState } from "../../wallet/node/wait.js";
import {
	type Authority,
	authorityAtNode,
	authorityOfEnvelope,
	chainOf,
	checkNotExpired,
	countedByNode,
} from "../../wallet/permission/authority.js";
import { parseOperation } from "../../wallet/permission/operations.js";
import { permissionLabel, type WeighedKey } from "../../wallet/permission/permission.js";
import {
	callMembers,
	callText,
	type DescribedCall,
	describedCall,
} from "../../wallet/transaction/described-call.js";
import {
	readSignedEnvelope,
	type Signature,
	signaturesOf,
	type TransactionEnvelope,
	withSignatures,
	writeEnvelope,
} from "../../wallet/transaction/envelope.js";
import { noteFor, summaryLines, summaryOf } from "../../wallet/transaction/envelope-note.js";
import { actsUnsigned, UNSIGNED_LINE } from "../../wallet/transaction/impersonation.js";
import { accountOrActive } from "../../wallet/transaction/signing.js";
import { formatCoin, parseCoinAmount } from "../../wallet/values/amount.js";
import { unknownMember } from "../../wallet/values/suggestion.js";
import { qrSvg, qrText } from "../../wallet/view/qr-code.js";

export const WalletApprovals = command({
	summary: "Show who has signed a transaction and whose signatures are missing",
	examples: ["<%= config.bin %> wallet approvals < pay.json"],
	args: transactionArgument,
	flags: {
		...nodeFlags,
		...keystoreFlags,
		...callAbiFlag,
		offline: Flags.boolean({
			description: "ask no node; believe the permission that came with the transaction",
		}),
		require: Flags.boolean({ description: "exit code 1 if a threshold is not reached" }),
	},
	run: async ({ args, flags, settings: load, print, warning }) => {
		const envelopes = await readEnvelopes(args.transaction);
		const settings = await load();
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi, settings, flags.offline ? undefined : client);
		const { entries } = await listKeystore(settings.keystoreDirectory);
		const labels = new Map(entries.map((entry) => [entry.base58, entry.name]));
		for (const envelope of envelopes) {
			const authority = flags.offline
				? authorityOfEnvelope(envelope, Date.now())
				: await authorityAtNode(envelope, client).catch(async (error: unknown) => {
						throw await withFate(client, envelope, error);
					});
			const call = await describedCall(envelope.transaction.parameter, {
				client: flags.offline ? undefined : client,
				contactsFile: settings.contactsFile,
				given,
			});
			const [off] = flags.offline ? [] : await schemesOff(client, schemesIn(envelope));
			const reason = off && `this chain takes no signatures of ${off.name}`;
			const counted = flags.offline ? undefined : await countedByNode(envelope, client);
			const message = counted && disagreement(counted, authority.approval);
			if (message) warning(message);
			const warnings = message ? [{ code: "weight_disagrees", message }] : undefined;
			const state = flags.offline ? undefined : await stateIfOver(envelope, authority, client);
			const shown = { ...approvalsOf(envelope, authority, labels, call, reason), state, warnings };
			print.record(shown, { ...shown, call: call && callText(call) });
			const { ready, missing } = authority.approval;
			if (flags.require && !(ready && reason === undefined))
				throw new Failure("threshold_not_reached", reason ?? `a weight of ${missing} is missing`);
		}
	},
});

/** The outcome of an expired transaction, if the node reports it. */
async function stateIfOver(
	{ transaction }: TransactionEnvelope,
	{ nowMs }: Authority,
	client: NodeClient,
): Promise<TransactionState | undefined> {
	if ((transaction.raw?.expiration ?? 0n) > nowMs) return undefined;
	const asked = knownStatus(client, transaction).then(({ state }) => state);
	return await asked.catch(onRefusal(undefined));
}

/** The node's count of the signatures, if it differs from the local one. */
function disagreement(
	counted: NonNullable<Awaited<ReturnType<typeof countedByNode>>>,
	{ weight, ready }: Authority["approval"],
): string | undefined {
	if (counted.weight === weight && counted.ready === ready) return undefined;
	const why = counted.message === "" ? "" : `: ${counted.message}`;
	const enough = counted.ready ? "enough" : "not enough";
	return `the node counts a weight of ${counted.weight}, ${enough}${why}; by the account's permission it is ${weight}`;
}

function approvalsOf(
	envelope: TransactionEnvelope,
	authority: Authority,
	labels: ReadonlyMap<string, string>,
	call: DescribedCall | undefined,
	reason: string | undefined,
): object {
	const { permission, approval, source, nowMs } = authority;
	const key = ({ address, weight }: WeighedKey): object => {
		const base58 = toBase58Check(address);
		const name = labels.get(base58);
		return { address: base58, weight, ...(name === undefined || name === base58 ? {} : { name }) };
	};
	const expiration = envelope.transaction.raw?.expiration ?? 0n;
	return {
		txID: envelope.transaction.idHex,
		type: envelope.type.name,
		account: toBase58Check(envelope.owner),
		summary: summaryOf(envelope, call),
		call: call && callMembers(call),
		permission: { id: permission.id, name: permission.permission_name, threshold: permission.threshold },
		weight: approval.weight,
		missing: approval.missing,
		ready: approval.ready && reason === undefined,
		reason,
		approved: approval.approved.map(key),
		outstanding: approval.outstanding.map(key),
		expiration,
		expired: expiration <= nowMs,
		signatures: envelope.signers.length,
		source,
	};
}

export const WalletBroadcast = sending({
	outputKind: "acts",
	summary: "Send a signed transaction",
	description:
		"Reads transactions from standard input or the argument, checks that they are for this chain, not expired, and signed with enough " +
		"weight, and sends their exact bytes. Of several, all are checked before the first is sent; with --keep-going each in its turn.",
	examples: ["<%= config.bin %> wallet broadcast --wait < signed.json"],
	args: transactionArgument,
	flags: {
		...nodeFlags,
		...waitFlags,
		...yesFlag,
		...streamFlags,
		...callAbiFlag,
		force: Flags.boolean({ description: "leave the check of the weight to the node" }),
	},
	run: async ({ args, flags, session, settings: load }) => {
		const keepGoing = flags["keep-going"];
		const inputs = keepGoing ? await readInputs(args.transaction) : await readEnvelopes(args.transaction);
		const settings = await load();
		const client = new NodeClient(settings);
		const given = await interfaceFlag(flags.abi, settings, client);
		const labels = await readLabels(settings);
		const judge = async (envelope: TransactionEnvelope) => {
			const call = await describedCall(envelope.transaction.parameter, { client, given });
			try {
				const lines = await checkReady(envelope, client, call, flags.force);
				await checkSchemes(client, schemesIn(envelope));
				return { call, summary: lines.map((line) => labelled(line, labels)) };
			} catch (error) {
				const told = await withFate(client, envelope, error);
				// In a batch, a duplicate counts as sent and is followed like the others.
				if (inputs.length > 1 && told instanceof Failure && told.code === "duplicate") return { call };
				throw told;
			}
		};
		const judged = new Map<TransactionEnvelope, Awaited<ReturnType<typeof judge>>>();
		if (!keepGoing)
			await forEachInput(inputs, false, session.json, async (envelope) => {
				judged.set(envelope, await judge(envelope));
			});
		session.takesDuplicates = inputs.length > 1;
		const fine = await forEachInput(
			inputs,
			keepGoing,
			session.json,
			async (envelope) => {
				const { call, summary } = judged.get(envelope) ?? (await judge(envelope));
				// The signers have already agreed to what it moves.
				if (summary) await confirm(session, settings.confirm ? 1 : 0, summary, flags.yes);
				await sendAndReport(session, client, envelope, flags, { call, labels });
			},
			explainedInput,
		).catch((error: unknown) => {
			throw error instanceof Failure ? tellingRest(error, inputs.length) : error;
		});
		if (!fine) process.exitCode = 1;
	},
});

/** Adds to the failure how many following transactions of the list were not sent. */
function tellingRest(failure: Failure, count: number): Failure {
	const { index, details } = failure.facts;
	const unsent = index === undefined ? 0 : count - index - 1;
	if (unsent === 0) return failure;
	const were = unsent === 1 ? "one after it was" : `${unsent} after it were`;
	return failure.saying(`${failure.message}; ${were} not sent`).with({ details: { ...details, unsent } });
}

const NOTHING_KNOWN = { permission: undefined, approval: undefined };

/**
 * @param force skip the local weight check, leaving it to the node
 * @throws {Failure} `threshold_not_reached`, `tx_expired`, `not_authorized`, `wrong_network`
 */
async function checkReady(
	envelope: TransactionEnvelope,
	client: NodeClient,
	call: DescribedCall | undefined,
	force: boolean,
): Promise<string[]> {
	// Payments from notes are authorized by their proofs and have no signer.
	if (force || envelope.owner.length === 0) {
		const { chain, nowMs, chainMs } = await chainOf(envelope, client);
		checkNotExpired(envelope, { nowMs });
		return summaryLines(envelope, { ...NOTHING_KNOWN, chain, chainMs, call });
	}
	const authority = { ...(await authorityAtNode(envelope, client)), call };
	checkNotExpired(envelope, authority);
	const { approval, permission } = authority;
	if (!approval.ready) {
		const isBare = envelope.signers.length === 0;
		if (isBare && (await actsUnsigned(client, envelope.owner)))
			return [...summaryLines(envelope, authority), UNSIGNED_LINE];
		throw new Failure(
			"threshold_not_reached",
			`the signatures weigh ${approval.weight} of the ${permission.threshold} that ${permissionLabel(permission)} needs: ${approval.missing} is missing`,
			{ hint: "coin wallet approvals shows whose signatures are missing", txID: envelope.transaction.idHex },
		);
	}
	return summaryLines(envelope, authority);
}

export const WalletBuild = sending({
	outputKind: "envelope",
	summary: "Build a transaction of any contract type",
	description:
		"The body is JSON by wire names, addresses in Base58 and texts as text. Without --data the fields of the type are printed.",
	examples: [
		`<%= config.bin %> wallet build TransferContract --data '{"to_address":"TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC","amount":1000000}'`,
	],
	args: {
		type: required("contract type by name or number"),
	},
	flags: {
		...actingFlags,
		data: Flags.string({
			description: "the body: JSON, @file, or - for standard input",
			helpValue: "<json>",
		}),
		force: Flags.boolean({ description: "pay a contract all the same" }),
	},
	run: async ({ args, flags, session, json, print }) => {
		const type = contractTypeByName(args.type) ?? contractTypeById(parseOperation(args.type));
		if (!type?.message) {
			const names = contractTypes.filter((row) => row.message).map((row) => row.name);
			throw new Failure("bad_value", `"${args.type}" can't be built; the types are ${names.join(", ")}`);
		}
		if (flags.data === undefined) {
			const fields = fieldsOf(type.message);
			if (json) return printJsonText(JSON.stringify(fields));
			return print.list(fields, ["name", "type", "label"], "this type has no fields");
		}
		const body = await bodyText(flags.data);
		const parameter = bodyOf(type.message, body);
		const given = getField(parameter, type.owner) as Uint8Array;
		const actor = await actorOf(session, flags);
		if (given.length === 0) setField(parameter, type.owner, actor.owner);
		else if (!equalBytes(given, actor.owner)) {
			throw new Failure(
				"conflicting_flags",
				`the body's ${type.owner} is another account than the one that acts`,
				{
					hint: "leave it out, or name the account with --from",
				},
			);
		}
		const build = !flags.sign && !flags["dry-run"];
		const pays = parameter instanceof TransferContract || parameter instanceof TransferAssetContract;
		if (pays && !flags.offline && !flags.force) await checkNotContract(actor.client, parameter.to_address);
		await act(session, actor, { ...flags, build }, { type, parameter });
	},
});

function fieldsOf(type: MessageType<Message>): readonly object[] {
	return type.fields.map((field) => ({
		name: field.name,
		type: field.message?.().typeName ?? field.enumeration?.typeName ?? field.kind,
		label: field.label,
	}));
}

async function bodyText(data: string): Promise<string> {
	if (data === "-") return readStdin("the contract body");
	return data.startsWith("@") ? readFile(data.slice(1), "utf8") : data;
}

function bodyOf(type: MessageType<Message>, text: string): Message {
	try {
		return decodeFields(type, text, true, undefined, ({ typeName, fields }, name) => {
			const names = fields.map((field) => field.name);
			throw unknownMember(typeName.replace("protocol.", ""), name, names);
		});
	} catch (error) {
		if (!(error instanceof NamedError)) throw error;
		// Only the parser's messages are for people; others name classes of the reference node.
		const why = hasWireName(error, "JsonFormat$ParseException") ? `: ${error.message}` : "";
		throw new Failure(
			"bad_value",
			`the body is not of the type ${type.typeName.replace("protocol.", "")}${why}`,
			{
				hint: "one JSON object with the fields that the command prints without --data",
			},
		);
	}
}

export const WalletMerge = command({
	outputKind: "envelope",
	summary: "Put the signatures of copies of one transaction together",
	description: "Takes files (or - for standard input) with copies that were signed in parallel.",
	examples: ["<%= config.bin %> wallet merge pay.ann.json pay.bob.json | <%= config.bin %> wallet broadcast"],
	strict: false,
	usage: "wallet merge <file>...",
	run: async ({ argv }) => {
		const files = argv.length === 0 && stdinIsPiped() ? ["-"] : argv;
		if (files.length === 0)
			throw new Failure("usage", "no copies: name their files, or - for standard input");
		const texts = await Promise.all(
			files.map((file) => (file === "-" ? readStdin("the copies") : readFile(file, "utf8"))),
		);
		const copies = await Promise.all(texts.flatMap(splitValues).map((value) => readSignedEnvelope(value)));
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
	},
});

function mergedLine(first: TransactionEnvelope, copies: readonly TransactionEnvelope[]): string {
	const carrier = copies.find((copy) => member(copy.coin, "permission") !== undefined) ?? first;
	const signatures = new Map<string, { signer: Uint8Array; signature: Signature }>();
	for (const copy of copies) {
		const all = signaturesOf(copy);
		copy.signers.forEach((signer, index) => {
			const signature = all[index] as Signature;
			signatures.set(Buffer.from(signer).toString("hex"), { signer, signature });
		});
	}
	const known = member(carrier.coin, "permission") !== undefined;
	const order = known ? authorityOfEnvelope(carrier, 0).permission.keys.map((key) => key.address) : [];
	const place = (signer: Uint8Array): number => {
		const index = order.findIndex((address) => equalBytes(address, signer));
		return index < 0 ? order.length : index;
	};
	const merged = [...signatures.values()]
		.sort((a, b) => place(a.signer) - place(b.signer))
		.map(({ signature }) => signature);
	const envelope = withSignatures(first, merged, carrier.coin);
	if (!known) return writeEnvelope(envelope, envelope.coin);
	return writeEnvelope(envelope, noteFor(envelope, { ...authorityOfEnvelope(envelope, 0) }));
}

export const WalletQr = command({
	summary: "Show an address or a transaction as a QR code",
	description:
		"The code of an address holds nothing else, so any wallet can read it. --stdin makes a code of any text up to 2,900 bytes, such as a transaction for a machine without network.",
	examples: [
		"<%= config.bin %> wallet qr alice",
		"<%= config.bin %> wallet qr --stdin < signed.json",
		"<%= config.bin %> wallet qr alice --svg alice.svg",
	],
	args: accountArgument,
	flags: {
		...keystoreFlags,
		stdin: Flags.boolean({ description: "encode the text on standard input" }),
		amount: Flags.string({
			description: "shown beside the code for the payer; not part of it",
			helpValue: "<amount>",
			exclusive: ["stdin"],
		}),
		svg: Flags.string({ description: "new file to write the picture to", helpValue: "<path>" }),
	},
	run: async ({ args, flags, settings, json, print }) => {
		const { text, caption } = flags.stdin
			? await textOfStdin(args.account)
			: await textOfAddress(await settings(), args.account, flags.amount);
		if (flags.svg !== undefined) {
			await writePrivateFile(flags.svg, await qrSvg(text));
			return print.record({ file: flags.svg, text });
		}
		const code = await qrText(text);
		if (json) return print.record({ text });
		printText(code);
		for (const line of caption) printLine(line);
	},
});

/** Summarizes the contents of a code and what accompanies it. */
interface QrCode {
	readonly text: string;
	readonly caption: readonly string[];
}

async function textOfAddress(
	settings: Settings,
	account: string | undefined,
	amount: string | undefined,
): Promise<QrCode> {
	const text = toBase58Check(await accountOrActive(settings, account));
	return { text, caption: [text, ...(amount === undefined ? [] : [formatCoin(parseCoinAmount(amount))])] };
}

async function textOfStdin(account: string | undefined): Promise<QrCode> {
	if (account !== undefined) throw new Failure("conflicting_flags", "give an account or --stdin, not both");
	const text = (await givenStdin("the text")).trim();
	return { text, caption: [] };
}
