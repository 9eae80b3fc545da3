/** Trees for tests, published to a simulated world. */

import { getPublicKey } from "@noble/secp256k1";
import { base32nopad, base64urlnopad } from "@scure/base";
import { domainRecordName, signedText } from "../../../../src/node/network/dns/records.js";
import { fromHex, utf8 } from "../../../../src/protocol/bytes.js";
import { keccak256 } from "../../../../src/protocol/hash.js";
import { DnsEndPoints, DnsRoot, DnsRootTree, Endpoint } from "../../../../src/protocol/messages.js";
import { sign } from "../../../../src/protocol/signature.js";
import type { SimulatedWorld } from "../../../simulation/world.js";

export const KEY = fromHex("b71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291");

export function nodesRecord(addresses: readonly string[]): string {
	const nodes = addresses.map((text) => {
		const [host = "", port = ""] = text.split(" ");
		const field = host.includes(":") ? { addressIpv6: utf8(host) } : { address: utf8(host) };
		return Endpoint.create({ ...field, port: Number(port) });
	});
	return `nodes:${base64urlnopad.encode(DnsEndPoints.encode(DnsEndPoints.create({ nodes })))}`;
}

export function rootRecord(nodesHash: string, linksHash: string, sequence: number, key = KEY): string {
	const treeRoot = DnsRootTree.create({ eRoot: utf8(nodesHash), lRoot: utf8(linksHash), seq: sequence });
	const signature = sign(keccak256(utf8(signedText({ nodesHash, linksHash, sequence }))), key);
	const root = DnsRoot.create({ treeRoot, signature: utf8(base64urlnopad.encode(signature)) });
	return `tree-root-v1:${base64urlnopad.encode(DnsRoot.encode(root))}`;
}

/** A tree in the making: records are put below the domain as they are added. */
export class PublishedTree {
	readonly url: string;

	constructor(
		private readonly world: SimulatedWorld,
		readonly domain: string,
		private readonly key = KEY,
	) {
		this.url = `tree://${base32nopad.encode(getPublicKey(key, true))}@${domain}`;
	}

	/** @returns its hash */
	record(text: string): string {
		const hash = domainRecordName(text);
		// A TXT string holds 255 bytes; the parts are joined by the reader.
		const strings = text.match(/.{1,255}/g) ?? [];
		this.world.texts.set(`${hash.toLowerCase()}.${this.domain}`, [strings]);
		return hash;
	}

	branch(hashes: readonly string[]): string {
		return this.record(`tree-branch:${hashes.join(",")}`);
	}

	root(nodesHash: string, linksHash: string, sequence: number): void {
		this.world.texts.set(this.domain, [[rootRecord(nodesHash, linksHash, sequence, this.key)]]);
	}

	/** A whole tree: up to 13 records of nodes. */
	publish(nodes: readonly (readonly string[])[], links: readonly string[], sequence: number): void {
		const nodesHash = this.branch(nodes.map((addresses) => this.record(nodesRecord(addresses))));
		this.root(nodesHash, this.branch(links.map((link) => this.record(link))), sequence);
	}
}
