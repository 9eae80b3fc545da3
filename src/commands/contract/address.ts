import { Flags, type Interfaces } from "@oclif/core";
import { contractAddress, saltedContractAddress } from "../../protocol/address.js";
import { fromHex } from "../../protocol/bytes.js";
import { keccak256 } from "../../protocol/hash.js";
import { CoinCommand } from "../../terminal/base/coin-command.js";
import { parseTransactionId } from "../../terminal/base/query-command.js";
import { flagText } from "../../terminal/contract/contract-input.js";
import { keystoreFlags } from "../../terminal/flags/flags.js";
import { Failure } from "../../wallet/failure.js";
import { accountNamed } from "../../wallet/transaction/signing.js";
import { addressForms } from "../../wallet/values/address-text.js";
import { parseHexBytes } from "../../wallet/values/bytes-text.js";

export default class ContractAddress extends CoinCommand {
	static override summary = "Work out the address of a contract before or after it exists";
	static override description =
		"By the transaction that deploys it and its owner, or by deployer, salt and code of an operation CREATE2.";
	static override examples = [
		"<%= config.bin %> contract address --create 4f0c… --owner alice",
		"<%= config.bin %> contract address --create2 --deployer store --salt 1 --code @Store.bin",
	];
	static override flags = {
		...keystoreFlags,
		create: Flags.string({ description: "id of the deploying transaction", helpValue: "<txID>" }),
		owner: Flags.string({ description: "account that sent it", helpValue: "<account>" }),
		create2: Flags.boolean({ description: "made by CREATE2", exclusive: ["create", "owner"] }),
		deployer: Flags.string({ description: "contract that makes it", helpValue: "<account>" }),
		salt: Flags.string({ description: "number or 0x…, at most 32 bytes" }),
		code: Flags.string({ description: "its creation code: 0x… or @file of hex", exclusive: ["code-hash"] }),
		"code-hash": Flags.string({ description: "hash of that code", helpValue: "<0x…>" }),
	};

	async run(): Promise<void> {
		const { flags } = await this.parse(ContractAddress);
		const forms = addressForms(await this.address(flags));
		if (this.json) this.printRecord(forms);
		else this.printScalar(forms.base58);
	}

	private async address(flags: Interfaces.InferredFlags<typeof ContractAddress.flags>): Promise<Uint8Array> {
		const settings = await this.settings(flags);
		const { create, owner, create2, deployer, salt, code, "code-hash": hash } = flags;
		if (!create2) {
			if (create === undefined || owner === undefined) {
				throw new Failure(
					"usage",
					"name the transaction and its sender with --create and --owner, or use --create2",
				);
			}
			return contractAddress(parseTransactionId(create), await accountNamed(settings, owner));
		}
		if (deployer === undefined || salt === undefined || (code === undefined && hash === undefined)) {
			throw new Failure("usage", "--create2 needs --deployer, --salt, and --code or --code-hash");
		}
		const codeHash =
			hash === undefined
				? keccak256(parseHexBytes(await flagText(code as string, "the code")))
				: parseHexBytes(hash);
		if (codeHash.length !== 32) throw new Failure("bad_value", "--code-hash has 32 bytes");
		return saltedContractAddress(await accountNamed(settings, deployer), saltWord(salt), codeHash);
	}
}

function saltWord(text: string): Uint8Array {
	if (!/^(\d+|0x[0-9a-f]+)$/i.test(text) || BigInt(text) >= 1n << 256n) {
		throw new Failure("bad_value", `--salt "${text}": a number of at most 256 bits is needed`);
	}
	return fromHex(BigInt(text).toString(16).padStart(64, "0"));
}
