/**
 * Records of node lists in DNS: a signed root, and below it a tree of branches, links to other trees, and addresses,
 * each named by the hash of its text (protocol/peers §3). Only the root is signed; it authenticates the rest by the hashes.
 */

import { Point } from "@noble/secp256k1";
import { base32nopad, base64urlnopad } from "@scure/base";
import { addressFromPublicKey } from "../../../protocol/address.js";
import { EMPTY, equalBytes, fromUtf8, toHex, utf8 } from "../../../protocol/bytes.js";
import { DecodeError } from "../../../protocol/codec/reader.js";
import { keccak256 } from "../../../protocol/hash.js";
import { DnsEndPoints, DnsRoot, type Endpoint as EndpointMessage } from "../../../protocol/messages.js";
import { recoverAddress, SIGNATURE_LENGTH, SignatureError } from "../../../protocol/signature.js";
import { isIpv4Literal, isIpv6Literal } from "../wire/endpoint.js";

const URL_PREFIX = "tree://";
const ROOT_PREFIX = "tree-root-v1:";
const BRANCH_PREFIX = "tree-branch:";
const NODES_PREFIX = "nodes:";
const HASH_LENGTH = 26;
const MAX_BRANCHES = 13;

/** An invalid record or URL of a tree. The message says what is wrong. */
export class TreeError extends Error {
	override readonly name = "TreeError";
}

/** Location and owner of a tree. */
export interface TreeUrl {
	readonly text: string;
	readonly domain: string;
	/** Address of the key that signs the root, 21 bytes. */
	readonly signer: Uint8Array;
}

export interface TreeRoot {
	/** Hash of the top record of the addresses, 26 characters. */
	readonly nodesHash: string;
	/** Hash of the top record of the links. */
	readonly linksHash: string;
	readonly sequence: number;
}

/** An address in a tree; one of the two may be empty. */
export interface ListedNode {
	readonly ipv4: string;
	readonly ipv6: string;
	readonly port: number;
}

export type TreeEntry =
	| { readonly kind: "branch"; readonly hashes: readonly string[] }
	| { readonly kind: "link"; readonly url: TreeUrl }
	| { readonly kind: "nodes"; readonly nodes: readonly ListedNode[] };

/** @throws {TreeError} */
export function parseTreeUrl(text: string): TreeUrl {
	const match = /^tree:\/\/([A-Z2-7]{53})@([^@\s/]+)$/.exec(text);
	if (match === null) throw new TreeError(`"${text}" is not a tree://<key of 53 characters>@<domain>`);
	const [, key = "", domain = ""] = match;
	try {
		const publicKey = Point.fromHex(toHex(base32nopad.decode(key))).toBytes(false);
		return { text, domain: domain.toLowerCase(), signer: addressFromPublicKey(publicKey) };
	} catch (error) {
		throw new TreeError(`the key of "${text}" is not a public key`, { cause: error });
	}
}

/** Name of a record below the domain, in upper case: the first bytes of its text's hash. */
export function domainRecordName(text: string): string {
	return base32nopad.encode(keccak256(utf8(text)).subarray(0, 16));
}

/** The text that a tree's owner signs. Fields without a value have no line. */
export function signedText(root: TreeRoot): string {
	const lines = [`eRoot: "${root.nodesHash}"\n`, `lRoot: "${root.linksHash}"\n`];
	if (root.sequence !== 0) lines.push(`seq: ${root.sequence}\n`);
	return lines.join("");
}

/**
 * Reads the response to a query for the domain itself.
 * @param records TXT records, each as its strings
 * @throws {TreeError} if there is no root, or it isn't signed by the tree's key
 */
export function readRoot(records: readonly (readonly string[])[], url: TreeUrl): TreeRoot {
	const text = records.at(-1)?.find((string) => string.trim().startsWith(ROOT_PREFIX));
	if (text === undefined) throw new TreeError(`${url.domain} has no record that begins with ${ROOT_PREFIX}`);
	const { treeRoot, signature } = decodeBase64(text.trim().slice(ROOT_PREFIX.length), (b) =>
		DnsRoot.decode(b),
	);
	const root: TreeRoot = {
		nodesHash: readHash(fromUtf8(treeRoot?.eRoot ?? EMPTY)),
		linksHash: readHash(fromUtf8(treeRoot?.lRoot ?? EMPTY)),
		sequence: treeRoot?.seq ?? 0,
	};
	const bytes = decodeBase64(fromUtf8(signature), (b) => b);
	if (!isSignedBy(root, bytes, url.signer))
		throw new TreeError(`the root of ${url.domain} isn't signed by its key`);
	return root;
}

/**
 * Reads the response to a query for a record.
 * @param hash the hash by which it was queried
 * @throws {TreeError}
 */
export function readEntry(records: readonly (readonly string[])[], hash: string): TreeEntry {
	const text = (records.at(-1) ?? []).map((string) => string.trim()).join("");
	if (domainRecordName(text) !== hash) throw new TreeError(`the record ${hash} has another hash`);
	if (text.startsWith(BRANCH_PREFIX))
		return { kind: "branch", hashes: readBranch(text.slice(BRANCH_PREFIX.length)) };
	if (text.startsWith(URL_PREFIX)) return { kind: "link", url: parseTreeUrl(text) };
	if (text.startsWith(NODES_PREFIX)) {
		const { nodes } = decodeBase64(text.slice(NODES_PREFIX.length), (b) => DnsEndPoints.decode(b));
		return { kind: "nodes", nodes: nodes.map(readNode) };
	}
	throw new TreeError(`the record ${hash} is neither branch nor link nor nodes`);
}

function readBranch(text: string): string[] {
	const hashes = text === "" ? [] : text.split(",").map(readHash);
	if (hashes.length > MAX_BRANCHES) throw new TreeError(`a branch of ${hashes.length} records`);
	return hashes;
}

function readHash(text: string): string {
	if (text.length !== HASH_LENGTH) throw new TreeError(`"${text}" is not the hash of a record`);
	try {
		base32nopad.decode(text);
		return text;
	} catch (error) {
		throw new TreeError(`"${text}" is not the hash of a record`, { cause: error });
	}
}

function readNode(message: Readonly<EndpointMessage>): ListedNode {
	const ipv4 = fromUtf8(message.address);
	const ipv6 = fromUtf8(message.addressIpv6);
	const isAddress =
		(ipv4 !== "" || ipv6 !== "") &&
		(ipv4 === "" || isIpv4Literal(ipv4)) &&
		(ipv6 === "" || isIpv6Literal(ipv6)) &&
		message.port > 0 &&
		message.port < 65_536;
	if (!isAddress) throw new TreeError(`"${ipv4 || ipv6}" port ${message.port} is not the address of a node`);
	return { ipv4, ipv6, port: message.port };
}

function isSignedBy(root: TreeRoot, signature: Uint8Array, signer: Uint8Array): boolean {
	if (signature.length !== SIGNATURE_LENGTH) return false;
	try {
		return equalBytes(recoverAddress(keccak256(utf8(signedText(root))), signature), signer);
	} catch (error) {
		if (error instanceof SignatureError) return false;
		throw error;
	}
}

function decodeBase64<T>(text: string, decode: (bytes: Uint8Array) => T): T {
	let bytes: Uint8Array;
	try {
		bytes = base64urlnopad.decode(text);
	} catch (error) {
		throw new TreeError("a record isn't in base64url", { cause: error });
	}
	try {
		return decode(bytes);
	} catch (error) {
		if (error instanceof DecodeError) throw new TreeError("a record doesn't unpack", { cause: error });
		throw error;
	}
}
