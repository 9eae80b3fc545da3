/**
 * Everything that a replay does not compare, and why: the recordings' `volatile.json`, and the rules in their
 * README. There are no exceptions elsewhere.
 *
 * A request is named `port VERB path` (JSON-RPC: followed by its method), a gRPC call `port /service/Method`.
 */

import { equalBytes, fromHex, toHex, utf8 } from "../../src/protocol/bytes.js";
import { sha256 } from "../../src/protocol/hash.js";
import { TransactionExtention, TransactionRaw } from "../../src/protocol/messages.js";
import type { GrpcLine, RequestLine } from "./recording.js";

export type Effect =
	/** Sent for its effects, but not compared. */
	| { readonly kind: "nothing" }
	/** Sent to an endpoint that the reference lacks; the answer must be as the network's endpoints give it. */
	| { readonly kind: "served" }
	/** The body is not compared. */
	| { readonly kind: "head" }
	/** Only the names of members are compared. */
	| { readonly kind: "names" }
	/** Any value is allowed at these paths; in messages also none, as they omit default values. */
	| { readonly kind: "free"; readonly places: readonly string[] }
	/** Lists at these paths are unordered. */
	| { readonly kind: "unordered"; readonly places: readonly string[] };

export interface Skip {
	/** Pattern of request names. */
	readonly of: RegExp;
	/** Further condition on the recorded request. */
	readonly when?: (line: RequestLine) => boolean;
	/** Further condition on the recorded gRPC call. */
	readonly whenCalled?: (line: GrpcLine) => boolean;
	readonly effect: Effect;
	readonly why: string;
}

/** Errors of the reference's language runtime, whose texts aren't part of the protocol. */
const RUNTIME =
	"java\\.lang\\.(?:NullPointerException|NumberFormatException|ClassCastException|\\w*IndexOutOfBoundsException)";

/** Endpoints of the interface document that the reference lacks. */
const LACKING_FULL =
	"createshieldedtransaction|createshieldedtransactionwithoutspendauthsig|scannotebyivk|scanandmarknotebyivk|scannotebyovk|" +
	"createshieldnullifier|getshieldtransactionhash|getmerkletreevoucherinfo|isspend|getburncoin";
const LACKING_SOLIDITY = "getmerkletreevoucherinfo|scannotebyivk|scanandmarknotebyivk|scannotebyovk|isspend";

/** SHA-256 of the body of the one such call in shielded-orc20. */
const PROOFS_GIVEN_UP = "a65b3284d19b3c88d79425bce1304e2cb9ea3920e4bab38c71c042e3d6f88c41";

const NODE_INFO = [
	"beginSyncNum",
	"cheatWitnessInfoMap",
	"configNodeInfo.backupListenPort",
	"configNodeInfo.codeVersion",
	"configNodeInfo.listenPort",
	"configNodeInfo.p2pVersion",
	"configNodeInfo.versionName",
	"configNodeInfo.versionNum",
	"machineInfo",
	"peerList",
];

const isErrorPage = (line: RequestLine): boolean => [302, 404, 405, 414].includes(line.status);

const SKIPS: readonly Skip[] = [
	{
		of: new RegExp(`^full \\w+ wallet/(${LACKING_FULL})$`, "i"),
		when: isErrorPage,
		effect: { kind: "served" },
		why: "the reference lacks an endpoint of the interface document (404, or 405 for POST); ours serves it",
	},
	{
		of: new RegExp(`^solidity \\w+ walletsolidity/(${LACKING_SOLIDITY})$`, "i"),
		when: isErrorPage,
		effect: { kind: "served" },
		why: "the reference lacks an endpoint of the interface document (404, or 405 for POST); ours serves it",
	},
	{
		of: /./,
		when: isErrorPage,
		effect: { kind: "head" },
		why: "error pages of the reference's web server name an object's address",
	},
	{ of: /^\w+ TRACE /, effect: { kind: "head" }, why: "the answer repeats the client's own headers" },
	{
		of: /^full \w+ monitor\/getstatsinfo$/,
		effect: { kind: "names" },
		why: "meters of the process",
	},
	{
		of: /^\w+ \w+ \w+\/getnodeinfo$/,
		effect: { kind: "free", places: NODE_INFO },
		why: "machine, process, version and ports of the recording",
	},
	{
		of: /^grpc\w* \/grpc\.(health\.v1|reflection\.v1)\./,
		effect: { kind: "nothing" },
		why: "the reference lacks the standard services (UNIMPLEMENTED); ours serves them, as clients ask for them first",
	},
	{
		of: /^grpc\w* \/protocol\.\w+\/GetNodeInfo$/,
		effect: { kind: "free", places: ["machineInfo", "configNodeInfo", "beginSyncNum", "peerList"] },
		why: "machine, process, version and ports of the recording",
	},
	{
		of: /^grpc\w* \/protocol\.Monitor\/GetStatsInfo$/,
		effect: {
			kind: "free",
			places: ["interval", "blockchain.blockProcessTime", "blockchain.tps", "net.api"],
		},
		why: "meters of the process",
	},
	{
		of: /^jsonrpc\w* POST jsonrpc web3_clientVersion$/,
		effect: { kind: "head" },
		why: "names the reference's runtime; recorded on a runtime where it fails",
	},
	{
		of: /^jsonrpc\w* POST jsonrpc eth_new(Block)?Filter$/,
		effect: { kind: "free", places: ["result"] },
		why: "a random id; later requests are sent with ours in its place",
	},
	{
		of: /^jsonrpc/,
		when: ({ answer }) => new RegExp(`"exceptionTypeName":"${RUNTIME}"`).test(answer),
		effect: { kind: "free", places: ["error.message", "error.data.message"] },
		why: "the text of a runtime error; its class is compared",
	},
	{
		of: /./,
		when: ({ answer, type }) => (type ?? "").includes("json") && hasRawControl(answer),
		effect: { kind: "head" },
		why: "names with control characters are printed raw, which is no JSON",
	},
	{
		of: /^grpc\w* \/protocol\.\w+\/TriggerConstantContract$/,
		whenCalled: namesHiddenTransaction,
		effect: { kind: "free", places: ["txid"] },
		why: "of a creation that is only tried, the id of a transaction that the answer doesn't show, made when the clock may have gone on",
	},
	{
		of: /^full POST wallet\/triggerconstantcontract$/,
		when: ({ body }) => toHex(sha256(utf8(body ?? ""))) === PROOFS_GIVEN_UP,
		effect: { kind: "nothing" },
		why: "a transfer whose proofs the reference, on a busy machine, gave up when the call's time was over",
	},
	{
		of: /\/listwitnesses$|\/ListWitnesses$/,
		effect: { kind: "unordered", places: ["witnesses"] },
		why: "in store order; of witnesses that one block wrote and that share a bucket, the order of the writes is not known",
	},
];

/** A final state is only compared if it belongs to the last recorded head. */
export const OTHER_HEIGHT = "the reference went on producing without a line";

/** Whether the answer's id isn't that of its transaction. */
function namesHiddenTransaction({ answer }: GrpcLine): boolean {
	if (answer === undefined) return false;
	const { txid, transaction } = TransactionExtention.decode(fromHex(answer));
	const raw = transaction?.raw_data;
	return raw !== undefined && !equalBytes(txid, sha256(TransactionRaw.encode(raw)));
}

/** A block whose parent isn't recorded can't be applied; nothing after it is compared. */
export const NO_PARENT = "lines behind blocks that are not recorded";

/** The recording began on an unrecorded data directory of a longer chain. */
export const NO_DIRECTORY = "lines of a node that began on a data directory which is not recorded";

/** Only the body's hash is recorded. */
export const NO_BODY = "requests whose body is not recorded";

/** The reference refuses a call while a concurrent one holds its only permit. */
export const NO_PERMIT = "calls that found no permit, as another one was running";

/** The recording's client timed out. */
export const GIVEN_UP = "calls whose client gave up";

/** Path of the error text of a refused block. */
export const PUSH = "(push)";

/** Different texts that are considered equal. */
interface TextRule {
	/** Pattern of the recorded text. */
	readonly of: RegExp;
	/** Pattern of the path's last name. */
	readonly at: RegExp;
	readonly same: (expected: string, got: string) => boolean;
	readonly why: string;
}

const OBJECT_ADDRESS = /<ByteString@[0-9a-f]+/g;
const RUNTIME_TEXT = new RegExp(`^(.*?(?:class )?${RUNTIME})(?: ?: .*)?$`, "s");

const PUSH_RUNTIME = /^(?:NullPointer|NumberFormat|ClassCast|\w*IndexOutOfBounds)Exception(?=:)/;

const TEXT_RULES: readonly TextRule[] = [
	{
		of: RUNTIME_TEXT,
		at: /./,
		same: (expected, got) => RUNTIME_TEXT.exec(expected)?.[1] === RUNTIME_TEXT.exec(got)?.[1],
		why: "the text of a runtime error; its class is compared",
	},
	{
		of: /^(Error: null|Index -?\d+ out of bounds for length \d+|Cannot invoke .*|arraycopy: .*)$/s,
		at: /^(message|resMessage)$/,
		same: (_, got) => got !== "",
		why: "a runtime error without its class; that there is an error is compared",
	},
	{
		of: /^null$/,
		at: /^resMessage$/,
		same: (_, got) => got.startsWith("Cannot invoke "),
		why: "a runtime error's text, blotted out in answers; the record of the block, which has it, is compared",
	},
	{
		of: PUSH_RUNTIME,
		at: /^\(push\)$/,
		same: (expected, got) => PUSH_RUNTIME.exec(expected)?.[0] === PUSH_RUNTIME.exec(got)?.[0],
		why: "the text of a runtime error; its class is compared",
	},
	{
		of: OBJECT_ADDRESS,
		at: /./,
		same: (expected, got) => mask(expected) === mask(got),
		why: "an object's address",
	},
];

function mask(text: string): string {
	return text.replaceAll(OBJECT_ADDRESS, "<ByteString@");
}

const CONTROL = /\p{Cc}/u;

/** Whether a text that should be JSON contains unescaped control characters. */
function hasRawControl(text: string): boolean {
	return CONTROL.test(text) && !isJson(text) && isJson(text.replace(/\p{Cc}/gu, " "));
}

function isJson(text: string): boolean {
	try {
		JSON.parse(text);
		return true;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return false;
	}
}

/** Answers that are random by nature are checked in random-answers.ts. */
const randomAt = (places: readonly string[]): Skip => ({
	of: /./,
	effect: { kind: "free", places },
	why: "random by nature",
});

/** Rules by request name, cached: recordings repeat the same few hundred names. */
const named = new Map<string, readonly Skip[]>();

function skipsNamed(name: string): readonly Skip[] {
	const known = named.get(name) ?? SKIPS.filter((skip) => skip.of.test(name));
	named.set(name, known);
	return known;
}

/** Rules that apply to a request. */
export function skipsOf(name: string, line?: RequestLine | GrpcLine): readonly Skip[] {
	const random = line?.volatile ? [randomAt(line.volatile)] : [];
	return skipsNamed(name)
		.concat(random)
		.filter((skip) => {
			if (skip.whenCalled) return line?.t === "grpc" && skip.whenCalled(line);
			return skip.when === undefined || (line?.t === "req" && skip.when(line));
		});
}

/** Whether two different texts are considered equal. Hexadecimal message fields are first decoded as text. */
export function sameText(expected: string, got: string, place: string): boolean {
	const at = place.slice(Math.max(place.lastIndexOf("."), -1) + 1);
	const isHex = /^(message|resMessage)$/.test(at) && /^([0-9a-f]{2})+$/.test(expected);
	const read = (text: string) => (isHex ? Buffer.from(text, "hex").toString("utf8") : text);
	const [left, right] = [read(expected), read(got)];
	return TEXT_RULES.some(
		(rule) => rule.at.test(at) && left.match(rule.of) !== null && rule.same(left, right),
	);
}
