import { base64urlnopad } from "@scure/base";
import { describe, expect, it } from "vitest";
import {
	domainRecordName,
	parseTreeUrl,
	readEntry,
	readRoot,
	TreeError,
} from "../../../../src/node/network/dns/records.js";
import { utf8 } from "../../../../src/protocol/bytes.js";
import { DnsRoot, DnsRootTree } from "../../../../src/protocol/messages.js";
import { nodesRecord, rootRecord } from "./tree-fixture.js";

const NODES = "VXJIDGQECCIIYNY3GZEJSFSG6U";
const LINKS = "FDXN3SN67NA5DKA4J2GOK7BVQI";
const SIGNATURE = "_Zfgv2g7IUzjhqkMGCPZuPT_HAA01hTxiKAa3D1dyokk8_OKee-Jy2dSNo-nqEr6WOFkxv3A9ukYuiJRsf2v8hs";
const URL = "tree://APFGGTFOBVE2ZNAB3CSMNNX6RRK3ODIRLP2AA5U4YFAA6MSYZUYTQ@nodes.example.org";

function root(
	change: Partial<{ eRoot: string; lRoot: string; seq: number; signature: string }> = {},
): string {
	const { eRoot = NODES, lRoot = LINKS, seq = 3447, signature = SIGNATURE } = change;
	const treeRoot = DnsRootTree.create({ eRoot: utf8(eRoot), lRoot: utf8(lRoot), seq });
	return `tree-root-v1:${base64urlnopad.encode(DnsRoot.encode(DnsRoot.create({ treeRoot, signature: utf8(signature) })))}`;
}

describe("records of node trees", () => {
	it("names a record by the hash of its text", () => {
		const link = "tree://AM5FCQLWIZX2QFPNJAP7VUERCCRNGRHWZG3YYHIUV7BVDQ5FDPRT2@morenodes.example.org";
		expect(domainRecordName(link)).toBe("USBZA4IGXFNVDBBQACEK3FGLWM");
		expect(parseTreeUrl(link).domain).toBe("morenodes.example.org");
	});

	it("takes a root that the tree's key signed, of the last record, with v from 0 or from 27", () => {
		const expected = { nodesHash: NODES, linksHash: LINKS, sequence: 3447 };
		expect(readRoot([["other"], ["x", ` ${root()} `]], parseTreeUrl(URL))).toEqual(expected);
		const low = base64urlnopad.decode(SIGNATURE);
		low[64] = (low[64] as number) - 27;
		expect(readRoot([[root({ signature: base64urlnopad.encode(low) })]], parseTreeUrl(URL))).toEqual(
			expected,
		);
	});

	it("takes its own signatures, also where there is no sequence", () => {
		expect(rootRecord(NODES, LINKS, 3447)).toBe(root());
		expect(readRoot([[rootRecord(NODES, LINKS, 0)]], parseTreeUrl(URL)).sequence).toBe(0);
	});

	it.each<[string, (readonly string[])[], RegExp]>([
		["no record", [], /no record/],
		["a root in an earlier record", [[root()], ["x"]], /no record/],
		["another sequence", [[root({ seq: 3448 })]], /isn't signed/],
		["no signature", [[root({ signature: "" })]], /isn't signed/],
		["a short signature", [[root({ signature: "AAAA" })]], /isn't signed/],
		[
			"a signature that yields no key",
			[[root({ signature: base64urlnopad.encode(new Uint8Array(65)) })]],
			/isn't signed/,
		],
		["a signature that is not text", [[root({ signature: "+/" })]], /base64url/],
		["a hash that is too short", [[root({ eRoot: NODES.slice(1) })]], /not the hash/],
		["a hash in lower case", [[root({ lRoot: LINKS.toLowerCase() })]], /not the hash/],
		["no base64", [["tree-root-v1:!"]], /base64url/],
		["no protobuf", [["tree-root-v1:_____w"]], /unpack/],
	])("refuses a root of %s", (_, records, message) => {
		expect(() => readRoot(records, parseTreeUrl(URL))).toThrow(TreeError);
		expect(() => readRoot(records, parseTreeUrl(URL))).toThrow(message);
	});

	it.each([
		"",
		"enrtree://APFGGTFOBVE2ZNAB3CSMNNX6RRK3ODIRLP2AA5U4YFAA6MSYZUYTQ@a.org",
		"tree://APFGGTFOBVE2ZNAB3CSMNNX6RRK3ODIRLP2AA5U4YFAA6MSYZUYTQ",
		"tree://APFGGTFOBVE2ZNAB3CSMNNX6RRK3ODIRLP2AA5U4YFAA6MSYZUYT@a.org",
		`tree://${"A".repeat(53)}@a.org`,
	])("refuses the address %j", (text) => {
		expect(() => parseTreeUrl(text)).toThrow(TreeError);
	});

	const read = (text: string, hash = domainRecordName(text)) =>
		readEntry([["ignored"], [text.slice(0, 9), ` ${text.slice(9)}`]], hash);

	it("reads branches, links and nodes, their strings trimmed and joined", () => {
		expect(read(`tree-branch:${NODES},${LINKS}`)).toEqual({ kind: "branch", hashes: [NODES, LINKS] });
		expect(read("tree-branch:")).toEqual({ kind: "branch", hashes: [] });
		expect(read(URL)).toMatchObject({ kind: "link", url: { text: URL, domain: "nodes.example.org" } });
		expect(read(nodesRecord(["10.0.0.1 18888", "fd00::1 7"]))).toEqual({
			kind: "nodes",
			nodes: [
				{ ipv4: "10.0.0.1", ipv6: "", port: 18888 },
				{ ipv4: "", ipv6: "fd00::1", port: 7 },
			],
		});
	});

	it.each<[string, string, RegExp]>([
		["more than 13 hashes", `tree-branch:${Array.from({ length: 14 }, () => NODES).join(",")}`, /14 records/],
		["a hash that is none", "tree-branch:ABC", /not the hash/],
		["a host name", nodesRecord(["a.example.org 1"]), /not the address/],
		["no port", nodesRecord(["10.0.0.1 0"]), /not the address/],
		["nodes that don't unpack", "nodes:_____w", /unpack/],
		["anything else", "hello", /neither/],
	])("refuses a record of %s", (_, text, message) => {
		expect(() => read(text)).toThrow(TreeError);
		expect(() => read(text)).toThrow(message);
	});

	it("refuses a record that isn't what its name says", () => {
		expect(() => read(`tree-branch:${NODES}`, LINKS)).toThrow(/another hash/);
		expect(() => readEntry([], LINKS)).toThrow(/another hash/);
	});
});
