/** The application handshake: both sides describe their chains, and it is decided who may stay (protocol/peers §5). */

import { be64, concatBytes, EMPTY, equalBytes, toHex, utf8 } from "../../../protocol/bytes.js";
import { sha256 } from "../../../protocol/hash.js";
import { Endpoint, PQAuthSig } from "../../../protocol/messages.js";
import { helloFieldOf, signatureOfHello } from "../../../protocol/post-quantum/fields.js";
import { recoverAddress, SignatureError } from "../../../protocol/signature.js";
import { isWellFormed as isPostQuantumWellFormed } from "../../rules/post-quantum.js";
import { programOf } from "../../rules/release.js";
import type { Transport } from "../connection.js";
import {
	ApplicationType,
	HelloMessage,
	helloBlockId,
	Reason,
	readBlockId,
} from "../wire/application-messages.js";
import { NODE_ID_LENGTH } from "../wire/endpoint.js";
import type { Conduct } from "./conduct.js";
import { Misconduct } from "./misconduct.js";
import type { Peer } from "./peer.js";
import type { OwnWitness, PeerSettings, PeerWorld } from "./peer-world.js";

const FULL_NODE = 0;
const LIGHT_NODE = 1;
/** Maximum length of address, signature and version fields. */
const MAX_FIELD_LENGTH = 200;
/** Maximum connections naming the same witness; the reference compares with "more than" (protocol/peers §5.3). */
const MAX_PEERS_OF_WITNESS = 5;

/** Sends our HELLO once, as soon as the transport is ready. */
export function greet(world: PeerWorld, transport: Transport, peer: Peer): void {
	const identity = ownIdentity(world, peer);
	const timestamp = BigInt(Math.trunc(peer.connection.connectTimeMs));
	// A peer that sends HELLO first is compared with this; all others with what our HELLO says.
	peer.greetedAt = world.chain.head.number;
	const say = (shown: OwnWitness | undefined, signature: Uint8Array): void => {
		peer.greetedAt = world.chain.head.number;
		const hello = helloFor(world, transport, { timestamp, identity: shown, signature });
		world.send(peer, ApplicationType.P2P_HELLO, HelloMessage.encode(hello));
	};
	if (!identity?.remote) {
		say(identity, identity?.sign(helloHash(timestamp)) ?? EMPTY);
		return;
	}
	// Without its signature, a witness is an ordinary peer.
	const { environment } = world;
	identity.remote.hello(timestamp).then(
		(signature) => environment.soon(() => say(identity, signature)),
		() => environment.soon(() => say(undefined, EMPTY)),
	);
}

/** Our HELLO for a peer (protocol/peers §5.1). */
function helloFor(
	world: PeerWorld,
	transport: Transport,
	{
		timestamp,
		identity,
		signature,
	}: {
		readonly timestamp: bigint;
		readonly identity: OwnWitness | undefined;
		readonly signature: Uint8Array;
	},
): HelloMessage {
	const { chain, settings } = world;
	const isLight = chain.lowestNumber > 1n;
	const hello = HelloMessage.create({
		from: Endpoint.create({
			address: utf8(transport.self.ipv4),
			addressIpv6: utf8(transport.self.ipv6),
			port: transport.self.port,
			nodeId: transport.nodeId,
		}),
		version: settings.networkId,
		timestamp,
		genesisBlockId: helloBlockId(chain.genesis),
		solidBlockId: helloBlockId(chain.solid),
		headBlockId: helloBlockId(chain.head),
		address: identity?.witness ?? EMPTY,
		signature: identity?.postQuantum ? EMPTY : signature,
		nodeType: isLight ? LIGHT_NODE : FULL_NODE,
		lowestBlockNum: isLight ? chain.lowestNumber : 0n,
		codeVersion: utf8(programOf(settings).version),
	});
	if (identity?.postQuantum) {
		const { scheme, publicKey } = identity.postQuantum;
		hello.$unknown = helloFieldOf(PQAuthSig.create({ scheme: scheme.id, public_key: publicKey, signature }));
	}
	return hello;
}

/** The witness identity shown to a relay node: only witnesses get blocks pushed (protocol/peers §5.3). */
function ownIdentity(world: PeerWorld, peer: Peer): OwnWitness | undefined {
	if (!world.settings.relayHosts.has(peer.connection.remote.host) || !world.isMaster()) return undefined;
	const active = world.chain.activeWitnesses;
	const isActive = ({ witness }: OwnWitness): boolean => active.some((each) => equalBytes(each, witness));
	const own = world.witnesses.find((each) => !each.postQuantum && isActive(each));
	// Of several post-quantum keys, only the first is used here (protocol/peers §5.3).
	const first = world.witnesses.find(({ postQuantum }) => postQuantum);
	return own ?? (first && isActive(first) ? first : undefined);
}

/** The hash that a witness signs for a relay node. */
function helloHash(timestamp: bigint): Uint8Array {
	return sha256(be64(timestamp));
}

/** Maximum HELLO size on Nile, in bytes. */
const MAX_HELLO_ON_NILE = 16_384;

/** @throws {Misconduct | DecodeError} */
export function decodeHello({ network }: Pick<PeerSettings, "network">, payload: Uint8Array): HelloMessage {
	if (network === "nile" && payload.length > MAX_HELLO_ON_NILE) {
		const why = `hello message size ${payload.length} exceeds ${MAX_HELLO_ON_NILE}`;
		throw new Misconduct(Reason.BAD_PROTOCOL, why);
	}
	return HelloMessage.decode(payload);
}

/** The disconnect reason for an oversized HELLO. */
export function oversizedHello({ conduct, settings }: Pick<PeerWorld, "conduct" | "settings">): Reason {
	return settings.network === "nile" ? Reason.BAD_PROTOCOL : conduct.malformedHello;
}

/**
 * Checks a peer's HELLO in the network's order (protocol/peers §5.2).
 * @param isProbe the peer was dialed to find a higher head (§9.4)
 * @returns whether the peer stays; false: the transport closed the connection
 * @throws {Misconduct | BlockIdLengthError}
 */
export function acceptHello(world: PeerWorld, peer: Peer, hello: HelloMessage, isProbe: boolean): boolean {
	const { chain, conduct, settings } = world;
	if (peer.hello) throw new Misconduct(Reason.BAD_PROTOCOL, "a second HELLO");
	const nodeId = hello.from?.nodeId ?? EMPTY;
	if (nodeId.length === NODE_ID_LENGTH && !peer.connection.replaceNodeId(nodeId)) {
		peer.localReason = "DUPLICATE_PEER";
		return false;
	}
	if (!isWellFormed(hello, conduct) || !isSignatureWellFormed(hello, settings))
		throw new Misconduct(conduct.malformedHello, "the HELLO is not valid");
	if (settings.isFastForward) proveWitness(world, peer, hello);
	if (hello.lowestBlockNum > chain.head.number) {
		throw new Misconduct(Reason.LIGHT_NODE_SYNC_FAIL, `it begins at block ${hello.lowestBlockNum}`);
	}
	if (hello.version !== settings.networkId) {
		throw new Misconduct(Reason.INCOMPATIBLE_VERSION, `network ${hello.version}`);
	}
	const genesis = readBlockId(hello.genesisBlockId);
	if (!equalBytes(genesis.id, chain.genesis.id)) {
		throw new Misconduct(Reason.INCOMPATIBLE_CHAIN, `genesis ${toHex(genesis.id)}`);
	}
	const solidNumber = hello.solidBlockId?.number ?? 0n;
	if (chain.solid.number >= solidNumber && !chain.isOnChain(readBlockId(hello.solidBlockId).id)) {
		const reason = chain.lowestNumber > solidNumber ? conduct.solidBelowLowest : Reason.FORKED;
		throw new Misconduct(reason, `its solidified block ${solidNumber} is not ours`);
	}
	const head = readBlockId(hello.headBlockId);
	if (isProbe && head.number < chain.head.number) {
		throw new Misconduct(Reason.BELOW_THAN_ME, `its head is ${head.number}`);
	}
	peer.hello = hello;
	const sinceStartMs = world.now() - peer.connection.startMs;
	peer.connection.addLatency(sinceStartMs);
	const isSigned =
		hello.signature.length > 0 || (settings.network === "nile" && signatureOfHello(hello) !== undefined);
	if (isSigned || settings.relayHosts?.has(peer.connection.remote.host)) world.meter?.greeted(sinceStartMs);
	world.sortByLatency();
	return true;
}

function isWellFormed(hello: HelloMessage, { isBlockIdLength }: Conduct): boolean {
	const ids = [hello.genesisBlockId, hello.solidBlockId, hello.headBlockId];
	return (
		ids.every((id) => isBlockIdLength(id?.hash.length ?? 0)) &&
		[hello.address, hello.signature, hello.codeVersion].every(({ length }) => length <= MAX_FIELD_LENGTH)
	);
}

/** Whether a post-quantum signature is well-formed (protocol/post-quantum §9). */
function isSignatureWellFormed(hello: HelloMessage, { network }: Pick<PeerSettings, "network">): boolean {
	const entry = network === "nile" ? signatureOfHello(hello) : undefined;
	return !entry || isPostQuantumWellFormed(entry);
}

/**
 * A relay node admits only witnesses, which prove their identity by signing the HELLO's time (protocol/peers
 * §5.3). A proven peer is trusted from then on.
 * @throws {Misconduct}
 */
function proveWitness(world: PeerWorld, peer: Peer, hello: HelloMessage): void {
	const { chain } = world;
	const refuse = (why: string) => new Misconduct(Reason.UNEXPECTED_IDENTITY, why);
	const { address } = hello;
	if (address.length === 0) throw refuse("no witness address");
	if (!chain.activeWitnesses.some((each) => equalBytes(each, address))) throw refuse("not an active witness");
	const others = world.peers.filter((each) => each.hello && equalBytes(each.hello.address, address)).length;
	if (others > MAX_PEERS_OF_WITNESS) throw refuse("too many peers of this witness");
	const entry = world.settings.network === "nile" ? signatureOfHello(hello) : undefined;
	if (entry) {
		if (hello.signature.length > 0) throw refuse("signatures of both kinds");
		if (!chain.isSignedByWitness(address, helloHash(hello.timestamp), entry))
			throw refuse("signed by another key, or by a scheme that is off");
		peer.connection.trusted = true;
		return;
	}
	const { length } = hello.signature;
	if (!world.conduct.isHelloSignatureLength(length)) throw refuse(`a signature of ${length} bytes`);
	try {
		const signer = recoverAddress(helloHash(hello.timestamp), concatBytes(hello.signature));
		if (!equalBytes(signer, chain.signerOf(address))) throw refuse("signed by another key");
	} catch (error) {
		if (error instanceof SignatureError) throw refuse(error.message);
		throw error;
	}
	peer.connection.trusted = true;
}
