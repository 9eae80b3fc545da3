/**
 * How the standby soak's nodes reach their signer: over its socket, or by mutual TLS. On either way there is a recorder between them, which
 * sees requests and answers in clear: with TLS it is a server of the same CA to the nodes, and asks the signer with the certificate of the
 * node that asks it.
 */

import { X509Certificate } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls, createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { readSignerFiles, type SignerFiles } from "../../src/keystore/signer/client.js";
import { freePort } from "../free-port.js";

/** Joins a node's connection with one to the signer. */
type Join = (node: Socket, signer: Socket) => void;

interface SignerLink {
	/** Where the signer listens, as words of its command. */
	readonly words: readonly string[];
	/** What the signer prints once it listens. */
	readonly sign: string;
	/** A node's members of `localwitness`. */
	readonly settings: (node: string) => string;
	/** Starts the recorder. */
	readonly record: (join: Join) => Server;
}

/** @param path of a file of the run */
export function socketLink(path: (name: string) => string): SignerLink {
	return {
		words: ["--socket", path("socket")],
		sign: path("socket"),
		settings: () => `signer = "${path("recorded")}"`,
		record: (join) =>
			createServer({ allowHalfOpen: true }, (node) =>
				join(node, connect({ path: path("socket"), allowHalfOpen: true })),
			).listen(path("recorded")),
	};
}

/** Certificates of one CA for 127.0.0.1, which last a hundred years. */
const file = (name: string): string =>
	fileURLToPath(new URL(`../keystore/signer/certificates/${name}`, import.meta.url));
const filesOf = (name: string): SignerFiles => ({
	certificate: file(`${name}.pem`),
	key: file(`${name}.key`),
	ca: file("ca.pem"),
});
const SIGNER = filesOf("server");
const NODES: Readonly<Record<string, SignerFiles>> = { a: filesOf("payroll"), b: filesOf("unnamed") };

const fingerprintOf = ({ certificate }: SignerFiles): string =>
	new X509Certificate(readFileSync(certificate)).fingerprint256;

/** @param path as above; the policies, which name the nodes and no rule, are written to one */
export async function tlsLink(path: (name: string) => string): Promise<SignerLink> {
	const [port, recorded] = [await freePort(), await freePort()];
	const clients = Object.entries(NODES).map(
		([name, files]) => `${name} { certificate = "${fingerprintOf(files)}", node = true }`,
	);
	writeFileSync(path("policies.conf"), `clients { ${clients.join(", ")} }\nrules = []\n`, { mode: 0o600 });
	const { certificate, key, ca } = SIGNER;
	const places = ["--certificate", certificate, "--certificate-key", key, "--ca", ca];
	return {
		words: ["--policies", path("policies.conf"), "--listen", `127.0.0.1:${port}`, ...places],
		sign: `tls://127.0.0.1:${port}`,
		settings: (node) => {
			const own = NODES[node] as SignerFiles;
			const members = { signerCertificate: own.certificate, signerKey: own.key, signerCa: own.ca };
			const lines = Object.entries(members).map(([name, value]) => `${name} = "${value}"`);
			return [`signer = "tls://127.0.0.1:${recorded}"`, ...lines].join(", ");
		},
		record: (join) => {
			const both = { minVersion: "TLSv1.3", allowHalfOpen: true } as const;
			const options = { ...readSignerFiles(SIGNER), ...both, requestCert: true, rejectUnauthorized: true };
			return createTlsServer(options, (node) => {
				const shown = node.getPeerX509Certificate()?.fingerprint256;
				const own = Object.values(NODES).find((files) => fingerprintOf(files) === shown);
				if (!own) return void node.destroy();
				const to = { host: "127.0.0.1", port, ...readSignerFiles(own), ...both };
				// Opened with the node's connection, so that the signer, too, sees one a slot ahead of its request.
				join(node, connectTls(to));
			}).listen(recorded, "127.0.0.1");
		},
	};
}
