/**
 * The vendor's app library over recorded exchanges: those of address, transfer, hash and message are the device's own,
 * as the library's package (Apache-2.0) publishes them; refusals are status words of the app's public protocol.
 */

import { describe, expect, it } from "vitest";
import { toBase58Check } from "../../../src/protocol/address.js";
import { fromHex, toHex, utf8 } from "../../../src/protocol/bytes.js";
import { type ContractType, contractTypeByName } from "../../../src/protocol/contract-types.js";
import {
	Transaction,
	TransactionRaw,
	TransferContract,
	TriggerSmartContract,
} from "../../../src/protocol/messages.js";
import { recoverAddress, sign } from "../../../src/protocol/signature.js";
import { buildTransaction, SignedTransaction } from "../../../src/protocol/transaction.js";
import { Failure } from "../../../src/wallet/failure.js";
import { fitsDevice, openLedger } from "../../../src/wallet/signers/ledger.js";
import {
	APP_LIBRARY,
	ledgerConnector,
	TRANSPORT_LIBRARY,
} from "../../../src/wallet/signers/ledger-library.js";
import { type DeviceSigner, devicePath, namesDevice } from "../../../src/wallet/signers/signer.js";
import { messageHash } from "../../../src/wallet/transaction/signed-message.js";
import { RecordedDevice } from "./recorded-transport.js";

const PATH = "058000002c800000c3800000000000000000000000";
const ADDRESS = "TWdnWBzFdBP1b8sqZ5RcFDbkV3sBmnxsYu";
const PUBLIC_KEY =
	"040357bda0e415396eab766d392d5b996eb4a0bec6ccbb166d581341ebb50ebb54c30b365823884d8169e4c784373f0d3b871f3d16bca0b33a292d98f6cf07855a";
const ADDRESS_ANSWER = `<= 41${PUBLIC_KEY}22${toHex(utf8(ADDRESS))}9000`;
const OPENING = [`=> e002000015${PATH}`, ADDRESS_ANSWER, "=> e006000000", "<= 0f0001059000"];
/** The same with "Sign by hash" off. */
const SHOWING_ONLY = [...OPENING.slice(0, 3), "<= 070001059000"];

const TRANSFER =
	"0a023dce220895da42177db0050740d8e0a5feed2d522c43727970746f436861696e2d54726f6e5352204c6564676572205472616e73616374696f6e732054657374735a68080112640a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412330a1541c8599111f29c1e1e061265b4af93ea1f274ad78a121541c8599111f29c1e1e061265b4af93ea1f274ad78a1880c2d72f709d94a2feed2d";
const TRANSFER_REQUEST = `=> e0041000c9${PATH}${TRANSFER}`;
const TRANSFER_SIGNATURE =
	"3816b17b81c0a528b9f7506029473c82a3931945999426550a18d788651cb59d2d674a2386501107af2d51a106a67f8cf2e6adf2aded3220b6d1fc9847aec7c0";
const MESSAGE = utf8("CryptoChain-TronSR Ledger Transactions Tests");
const MESSAGE_REQUEST = `=> e008000045${PATH}0000002c${toHex(MESSAGE)}`;
const MESSAGE_SIGNATURE =
	"af4fb6500ff9058835b564d43078d5b201b71a3d3ead0d113baf68c86199f5ef1ee8f6ea48016a991e9d4bff410b8a77ba604850a03ac5f9cfd5fd95e25842fc";

const transfer = new SignedTransaction(
	Transaction.create({ raw_data: TransactionRaw.decode(fromHex(TRANSFER)) }),
);

async function opened(...exchanges: string[]): Promise<{ device: RecordedDevice; signer: DeviceSigner }> {
	const device = new RecordedDevice([...OPENING, ...exchanges]);
	return { device, signer: await openLedger("ledger", devicePath("ledger"), device.connect) };
}

async function refusal(work: Promise<unknown>): Promise<Failure> {
	const outcome = await work.catch((error: unknown) => error);
	expect(outcome).toBeInstanceOf(Failure);
	return outcome as Failure;
}

describe("a Ledger", () => {
	it("tells the address of a key by its public key", async () => {
		const { device, signer } = await opened();
		expect([signer.base58, toBase58Check(signer.address), device.isDone]).toEqual([ADDRESS, ADDRESS, true]);
	});

	it.each([
		["the recovery id alone", "00"],
		["the recovery id and 27", "1b"],
	])("signs a transaction's raw bytes: %s", async (_, v) => {
		const { signer } = await opened(TRANSFER_REQUEST, `<= ${TRANSFER_SIGNATURE}${v}9000`);
		const signature = await signer.signTransaction(transfer);
		expect(toHex(signature)).toBe(`${TRANSFER_SIGNATURE}1b`);
		expect(toBase58Check(recoverAddress(transfer.id, signature))).toBe(ADDRESS);
	});

	it.each([
		["the other recovery id", `${TRANSFER_SIGNATURE}01`],
		["a recovery id that doesn't exist", `${TRANSFER_SIGNATURE}05`],
		["another key", toHex(sign(transfer.id, fromHex("22".repeat(32))))],
		["half a signature", TRANSFER_SIGNATURE.slice(64)],
	])("is not believed with %s", async (_, answer) => {
		const { signer } = await opened(TRANSFER_REQUEST, `<= ${answer}9000`);
		const failure = await refusal(signer.signTransaction(transfer));
		expect(failure.message).toContain(`not a signature by ${ADDRESS}`);
	});

	it.each([
		["6985", "confirmation_refused", "refused on the device"],
		["5515", "signer_unavailable", "locked"],
		["6e00", "signer_unavailable", "not open"],
		["6a8b", "signer_unavailable", "memo"],
		["6a8d", "signer_unavailable", "contract"],
		["6f42", "signer_unavailable", "failed"],
	] as const)("that answers %s", async (status, code, words) => {
		const { signer } = await opened(TRANSFER_REQUEST, `<= ${status}`);
		const failure = await refusal(signer.signTransaction(transfer));
		expect([failure.code, failure.message]).toEqual([code, expect.stringContaining(words)]);
		expect(failure.message).toContain(`0x${status}`);
	});

	it.each([
		["locked", "5515", "locked"],
		["without the network's app", "6d00", "not open"],
	])("%s is closed again before anything is asked of it", async (_, status, words) => {
		const device = new RecordedDevice([`=> e002000015${PATH}`, `<= ${status}`]);
		const failure = await refusal(openLedger("ledger", devicePath("ledger"), device.connect));
		expect([failure.code, failure.message]).toEqual(["signer_unavailable", expect.stringContaining(words)]);
		expect(device.closed).toBe(true);
	});

	it("that isn't connected", async () => {
		const gone = Object.assign(new Error("NoDevice"), { name: "TransportError", id: "NoDevice" });
		const failure = await refusal(openLedger("ledger", devicePath("ledger"), () => Promise.reject(gone)));
		expect(failure.message).toBe("no device is connected, or another program holds it");
	});

	it("signs a personal message under the network's prefix", async () => {
		const { signer } = await opened(MESSAGE_REQUEST, `<= ${MESSAGE_SIGNATURE}019000`);
		const signature = await signer.signMessage(MESSAGE);
		expect(toHex(signature)).toBe(`${MESSAGE_SIGNATURE}1c`);
		expect(toBase58Check(recoverAddress(messageHash(MESSAGE), signature))).toBe(ADDRESS);
	});

	it("has its owner confirm the address", async () => {
		const { device, signer } = await opened(`=> e002010015${PATH}`, ADDRESS_ANSWER);
		await signer.confirmAddress();
		expect(device.isDone).toBe(true);
	});
});

/** A call with so many bytes of data. */
function call(dataLength: number): SignedTransaction {
	const parameter = TriggerSmartContract.create({
		owner_address: fromHex(`41${"11".repeat(20)}`),
		contract_address: fromHex(`41${"22".repeat(20)}`),
		data: new Uint8Array(dataLength),
	});
	return buildTransaction(contractTypeByName("TriggerSmartContract") as ContractType, parameter, {
		refBlockBytes: new Uint8Array(2),
		refBlockHash: new Uint8Array(8),
		expirationMs: 60_000n,
		timestampMs: 1n,
	});
}

describe("a transaction too large for a Ledger", () => {
	it("is one with a field that doesn't fit into a piece", () => {
		expect(fitsDevice(call(68).rawBytes)).toBe(true);
		expect(fitsDevice(call(300).rawBytes)).toBe(false);
		expect(fitsDevice(new Uint8Array(0))).toBe(true);
	});

	it("is refused, with the setting that allows it", async () => {
		const device = new RecordedDevice(SHOWING_ONLY);
		const signer = await openLedger("ledger", devicePath("ledger"), device.connect);
		const failure = await refusal(signer.signTransaction(call(300)));
		expect(failure.message).toBe("the transaction is too large for the device to show");
		expect(failure.facts.hint).toContain("Sign by hash");
	});

	it("is signed by its hash where the device's owner allows that; the screen is said to show the hash", async () => {
		const large = call(300);
		// The device's recorded answer, over another hash and by another key, must not be taken for this one's.
		const { signer } = await opened(
			`=> e005000035${PATH}${large.idHex}`,
			"<= 37a3cce70ebf7d792222d93509475a28ef1c7709d9ba032bf01dff3e52bca98c5a6cf64b73428a3f412b7dab1504afe4ac11995049c27ecdf1b46493292e4c68019000",
		);
		expect(signer.shows(large).join("\n")).toContain(`hash ${large.idHex.toUpperCase()}`);
		expect((await refusal(signer.signTransaction(large))).message).toContain("not a signature by");
	});
});

it("what the device will show of a payment", async () => {
	const { signer } = await opened();
	const to = "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC";
	expect(transfer.parameter).toBeInstanceOf(TransferContract);
	expect(signer.shows(transfer)).toEqual([
		"  on device   amount 100coin",
		expect.stringMatching(/^ {2}on device {3}to T\w{33}$/),
		expect.stringMatching(/^ {2}on device {3}from T\w{33}$/),
	]);
	expect(signer.shows(transfer).join()).not.toContain(to);
});

describe("names of a device's keys", () => {
	it.each([
		["ledger", "44'/195'/0'/0/0"],
		["ledger:3", "44'/195'/3'/0/0"],
		["ledger:m/44'/195'/0'/0/7", "44'/195'/0'/0/7"],
		["ledger:44h/195h/1h/0/0", "44'/195'/1'/0/0"],
	])("%s is %s", (name, path) => {
		expect([namesDevice(name), devicePath(name)]).toEqual([true, path]);
	});

	it.each(["ledger:", "ledger:x", "ledger:-1", "ledger:2147483648", "ledger:44'/y/0"])(
		"%s is none",
		(name) => {
			expect(() => devicePath(name)).toThrow("names no key of a device");
		},
	);

	it("a label is not one", () => {
		expect([namesDevice("ledgers"), namesDevice("ann")]).toEqual([false, false]);
	});
});

describe("the vendor's libraries", () => {
	it("are named where they are missing, in one sentence with what installs them", () => {
		const missing = (): never => {
			throw Object.assign(new Error("Cannot find module"), { code: "MODULE_NOT_FOUND" });
		};
		expect(() => ledgerConnector(missing)).toThrow(
			expect.objectContaining({
				code: "signer_unavailable",
				message: `the device's library ${TRANSPORT_LIBRARY} is not installed`,
				facts: expect.objectContaining({
					hint: expect.stringContaining(`npm install --global ${TRANSPORT_LIBRARY} ${APP_LIBRARY}`),
				}),
			}),
		);
	});

	it("that are broken say so in one short line", async () => {
		const error = new Error(`it is\n\tbroken${"!".repeat(2_000)}`);
		const broken = (): never => {
			throw error;
		};
		const words = `it is broken${"!".repeat(187)}…`;
		expect(() => ledgerConnector(broken)).toThrow(
			`the device's library ${TRANSPORT_LIBRARY} can't be loaded: ${words}`,
		);
		const failure = await refusal(openLedger("ledger", devicePath("ledger"), () => Promise.reject(error)));
		expect(failure.message).toBe(`the device failed: ${words}`);
	});

	it("without their native part say so, whether it is missed at once or when the device is opened", async () => {
		const missing = Object.assign(new Error("Tried:\n → /a/HID.node"), { tries: ["/a/HID.node"] });
		const open = (): Promise<never> => Promise.reject(missing);
		const connect = ledgerConnector(() => ({ default: { open } }));
		const failure = await refusal(openLedger("ledger", devicePath("ledger"), connect));
		const words = `the device's library ${TRANSPORT_LIBRARY} was installed without its native part`;
		expect([failure.code, failure.retry, failure.message]).toEqual(["signer_unavailable", "changed", words]);
		expect(failure.facts.hint).toContain("npm install --global --ignore-scripts=false");
		const load = (): never => {
			throw missing;
		};
		expect(() => ledgerConnector(load)).toThrow(words);
	});
});
